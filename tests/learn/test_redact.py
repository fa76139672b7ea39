"""Secrets go, ordinary text stays, and the work grows with the length of the text."""

import random
import re
import string

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentmemory.learn import redact as redaction
from agentmemory.learn import secretlike
from agentmemory.learn.redact import redact

ALNUM = string.ascii_letters + string.digits
LOWER = string.ascii_lowercase + string.digits
HEX = "0123456789abcdef"
WORD = ALNUM + "_-"
UPPER = string.ascii_uppercase + string.digits


def draw(rng, alphabet, length):
    """A random string that cannot be mistaken for a word: it ends in a digit and a letter."""
    return (
        "".join(rng.choice(alphabet) for _ in range(length - 2)) + "7" + (alphabet[0] if alphabet[0].isalnum() else "a")
    )


def uuid(rng):
    return "-".join(draw(rng, HEX, n) for n in (8, 4, 4, 4, 12))


AZURE = draw(random.Random(86), ALNUM + "+/", 86) + "=="
SELF_NAMING = {
    "aws-key-id": lambda r: "AKIA" + draw(r, UPPER, 16),
    "github-token": lambda r: "ghp_" + draw(r, ALNUM, 36),
    "github-app": lambda r: "ghs_" + draw(r, ALNUM, 36),
    "github-fine": lambda r: "github_pat_" + draw(r, ALNUM, 82),
    "gitlab-token": lambda r: "glpat-" + draw(r, WORD, 20),
    "slack-bot": lambda r: f"xoxb-{draw(r, '123456789', 12)}-{draw(r, '123456789', 12)}-{draw(r, ALNUM, 24)}",
    "slack-app": lambda r: f"xapp-1-A{draw(r, UPPER, 10)}-{draw(r, '123456789', 12)}-{draw(r, HEX, 64)}",
    "slack-hook": lambda r: (
        f"https://hooks.slack.com/services/T{draw(r, UPPER, 8)}/B{draw(r, UPPER, 8)}/{draw(r, ALNUM, 24)}"
    ),
    "stripe": lambda r: "sk_live_" + draw(r, ALNUM, 24),
    "stripe-hook": lambda r: "whsec_" + draw(r, ALNUM, 32),
    "openai": lambda r: f"sk-{draw(r, ALNUM, 20)}T3BlbkFJ{draw(r, ALNUM, 20)}",
    "openai-project": lambda r: f"sk-proj-{draw(r, WORD, 74)}T3BlbkFJ{draw(r, WORD, 74)}",
    "anthropic": lambda r: f"sk-ant-api03-{draw(r, WORD, 93)}AA",
    "google": lambda r: "AIza" + draw(r, WORD, 35),
    "npm": lambda r: "npm_" + draw(r, ALNUM, 36),
    "pypi": lambda r: "pypi-AgEIcHlwaS5vcmc" + draw(r, WORD, 90),
    "jwt": lambda r: f"eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJ{draw(r, ALNUM, 60)}.{draw(r, WORD, 43)}",
    "huggingface": lambda r: "hf_" + draw(r, string.ascii_letters, 34),
    "sendgrid": lambda r: f"SG.{draw(r, ALNUM, 22)}.{draw(r, ALNUM, 43)}",
    "digitalocean": lambda r: "dop_v1_" + draw(r, HEX, 64),
    "twilio": lambda r: "SK" + draw(r, HEX, 32),
    "azure": lambda r: f"{draw(r, ALNUM, 3)}8Q~{draw(r, ALNUM, 34)}",
    "terraform": lambda r: f"{draw(r, ALNUM, 14)}.atlasv1.{draw(r, ALNUM, 64)}",
    "vault": lambda r: "hvs." + draw(r, WORD, 95),
    "shopify": lambda r: "shpat_" + draw(r, HEX, 32),
    "databricks": lambda r: "dapi" + draw(r, HEX, 32),
    "linear": lambda r: "lin_api_" + draw(r, LOWER, 40),
    "grafana": lambda r: f"glsa_{draw(r, ALNUM, 32)}_{draw(r, HEX, 8)}",
    "postman": lambda r: f"PMAK-{draw(r, HEX, 24)}-{draw(r, HEX, 34)}",
    "planetscale": lambda r: "pscale_tkn_" + draw(r, ALNUM, 43),
    "maxmind": lambda r: f"{draw(r, ALNUM, 6)}_{draw(r, ALNUM, 29)}_mmk",
    "pulumi": lambda r: "pul-" + draw(r, HEX, 40),
    "telegram": lambda r: f"{draw(r, '123456789', 9)}1:A{draw(r, ALNUM, 34)}".replace("a1:", "1:"),
}
BESIDE_A_NAME = {
    "datadog": lambda r: draw(r, LOWER, 40),
    "discord": lambda r: draw(r, HEX, 64),
    "heroku": uuid,
    "asana": lambda r: draw(r, "123456789", 14) + "42",
    "okta": lambda r: "00" + draw(r, ALNUM, 40),
    "zendesk": lambda r: draw(r, LOWER, 40),
    "twitter": lambda r: draw(r, LOWER, 45),
    "billing": lambda r: draw(r, ALNUM, 32),
    "orders": lambda r: draw(r, HEX, 40),
    "my_service": uuid,
}


def written(name, secret):
    """The ways in which code, configuration and shells write `name = secret`."""
    upper = name.upper()
    return [
        f'{name}Token := "{secret}"',
        f'var {name}Token string = "{secret}"',
        f"const {name}Token = `{secret}`",
        f"{name}_token: {secret}",
        f"{name}_api_key: '{secret}'",
        f"{upper}_TOKEN={secret}",
        f'export {upper}_API_KEY="{secret}"',
        f'{upper}_SECRET ?= "{secret}"',
        f'{{"{name}_token": "{secret}", "debug": true}}',
        f"'{name}_secret' => '{secret}',",
        f'private String {name}Secret = "{secret}";',
        f'let {name}ApiKey: string = "{secret}";',
        f"${name}Token = '{secret}';",
        f'System.setProperty("{upper}_TOKEN", "{secret}")',
        f"<{name}Token>{secret}</{name}Token>",
        f"<{name}Token>\n    {secret}\n</{name}Token>",
        f'{{\\"{name}_token\\": \\"{secret}\\"}}',
        f'-D{name}.token="{secret}"',
    ]


@pytest.mark.parametrize("kind", SELF_NAMING)
def test_a_token_that_names_itself_goes_wherever_it_stands(kind):
    rng = random.Random(kind)
    for _ in range(20):
        secret = SELF_NAMING[kind](rng)
        for text in [secret, f"use {secret} for now", f"curl https://api.test/{secret}", *written("deploy", secret)]:
            assert secret not in redact(text), text


@pytest.mark.parametrize("name", BESIDE_A_NAME)
def test_a_random_value_beside_a_telling_name_goes(name):
    rng = random.Random(name)
    texts = [(s, t) for s in (BESIDE_A_NAME[name](rng) for _ in range(20)) for t in written(name, s)]
    kept = [text for secret, text in texts if secret in redact(text)]

    assert len(kept) <= len(texts) * 0.02, kept[:5]


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("DATABASE_URL=postgres://admin:s3cr3tpw@db.internal:5432/app", "s3cr3tpw"),
        ("redis://:Lq82mmXc@cache:6379/0", "Lq82mmXc"),
        ("mongodb+srv://root:aB3%40kk@cluster0.mongodb.net/test", "aB3%40kk"),
        ("git clone https://oauth2:9fkK2mmQ0x@gitlab.test/a/b.git", "9fkK2mmQ0x"),
        ("Server=tcp:x.database.windows.net;User ID=sa;Password=Yx7!kkq2;Encrypt=True", "Yx7!kkq2"),
        ("Authorization: Bearer abcDEF123456ghiJKL789", "abcDEF123456ghiJKL789"),
        ("curl -H 'Authorization: Basic YWRtaW46aHVudGVyMg==' https://x.test", "YWRtaW46aHVudGVyMg=="),
        ('headers = {"X-Api-Key": "4hF9sk2LmQ8zT1"}', "4hF9sk2LmQ8zT1"),
        ("curl -u deploy:Sup3rS3cret https://x.test", "Sup3rS3cret"),
        ("mysql -u root --password=Zx81qq app", "Zx81qq"),
        ("vault login --token q8Zk20vvLm31", "q8Zk20vvLm31"),
        ("the password is Tr0ub4dor&3, do not lose it", "Tr0ub4dor&3"),
        ("the password of the label printer is hunter2-dish, dont log it", "hunter2-dish"),
        ("password for staging is hunter2!x", "hunter2!x"),
        ("la contraseña del pi es hunter2-dish", "hunter2-dish"),
        ("das Kennwort für die NAS ist hunter2-dish", "hunter2-dish"),
        ("le mot de passe du serveur est Tr0ub4dor&3", "Tr0ub4dor&3"),
        ("password: hunter2!x", "hunter2!x"),
        ("DB_PASSWORD=correcthorse", "correcthorse"),
        ("POSTGRES_PASSWORD=kP2f9w3m\nPOSTGRES_DB=app", "kP2f9w3m"),
        ("'access_token': 'eyJ0eXAioiJKV1slS3oASx=='", "eyJ0eXAioiJKV1slS3oASx=="),
        ("kind: Secret\nmetadata:\n  name: x\ndata:\n  ca.crt: c2VjcmV0LXZhbHVlLTQy\n", "c2VjcmV0LXZhbHVlLTQy"),
        ("AccountName=x;AccountKey=" + AZURE + ";EndpointSuffix=core", AZURE),
        ("mysqldump -u root -pS3cretPw99 app > app.sql", "S3cretPw99"),
        ("sshpass -p 'Sup3rPw!' ssh deploy@web1", "Sup3rPw!"),
        ("redis-cli -h cache -a cachePw123 ping", "cachePw123"),
        ("docker login -u me -p JJTyiqp2hr9A registry.test", "JJTyiqp2hr9A"),
        ("az login --service-principal -u x -p WdkoBkf8LQ0 --tenant y", "WdkoBkf8LQ0"),
        ("htpasswd -bc users.txt admin Adm1nPw!", "Adm1nPw!"),
        ("echo MySudoPw1 | sudo -S systemctl restart web", "MySudoPw1"),
        ("machine api.test\n  login me\n  password dishes77\n", "dishes77"),
        ("Cookie: theme=dark; session=jh6FMyeSpZ4oazKYV0oOVVPcpg6m; lang=en", "jh6FMyeSpZ4oazKYV0oOVVPcpg6m"),
        ("set-cookie: connect.sid=s%3AHkNGugGY94y64ae2bJP0f.GJNNMYZI; Path=/", "s%3AHkNGugGY94y64ae2bJP0f.GJNNMYZI"),
        ("the twilio auth token 41ba4ea5ee874ae7689447ab57a68353 works", "41ba4ea5ee874ae7689447ab57a68353"),
        ("log in as admin, password Zebra!9931, then restart", "Zebra!9931"),
        ("API key: 4hF9sk2LmQ8zT1", "4hF9sk2LmQ8zT1"),
        ("WIFI_PSK=homeWifi99", "homeWifi99"),
        ("the bind pw is Winter2024#", "Winter2024#"),
    ],
)
def test_a_password_goes_and_what_stands_around_it_stays(text, secret):
    clean = redact(text)

    assert secret not in clean
    assert re.sub(r"\[redacted:[^]]+\]", secret, clean) == text


def test_a_private_key_goes_whole():
    body = "\n".join(draw(random.Random(i), ALNUM + "+/", 64) for i in range(25))
    for kind in ("RSA PRIVATE KEY", "OPENSSH PRIVATE KEY", "PRIVATE KEY", "PGP PRIVATE KEY BLOCK", "EC PRIVATE KEY"):
        text = f"before\n-----BEGIN {kind}-----\n{body}\n-----END {kind}-----\nafter"
        assert redact(text) == "before\n[redacted:private-key]\nafter"
        assert redact(f"cut short\n-----BEGIN {kind}-----\n{body}") == "cut short\n[redacted:private-key]"
    public = f"-----BEGIN PUBLIC KEY-----\n{body}\n-----END PUBLIC KEY-----"
    assert redact(public) == public


ORDINARY = """\
commit 43fc912ef59a83054ea7f6706df4d53a7dea4d80
git checkout 9a03898
sha256: e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855
"integrity": "sha512-ZLM6fU7kq2mS3c0K8xq0tDIbS9dJcT0m1Hc9dQy2xW2iYq0uV9wKc3oLr7e9p7z1xQ=="
id: 0f8fad5b-d9cb-469f-a165-70867728950e
request_id=7c9e6679-7425-40de-944b-e07fc1f90ae7 status=200
<img src="data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAYAAACNbyblAAAAHElEQVQI12P4">
Authorization: Bearer <token>
Authorization: Bearer $TOKEN
curl -H "Authorization: Bearer ${API_TOKEN}" https://api.test
curl -u "$USER:$PASS" https://api.test
api_key = "YOUR_API_KEY"
apiKey: process.env.API_KEY,
token = os.environ["GITHUB_TOKEN"]
password = getpass.getpass()
const secret = config.get("jwt.secret");
postgres://user:${DB_PASSWORD}@localhost:5432/app
postgres://user:password@localhost/db
DATABASE_URL=postgres://localhost:5432/app
password: string;
def login(user: str, password: str = "") -> Token:
token: str | None = None
if token == expected_token:
max_tokens=4096, temperature=0.2
"accessor":"rA1wk0Y45YCufyfq",
report_access_id: e8e4df51-2054-49b0-ab1c-516ac95c691d
primaryKey=customer_2024_orders
foreign_key: users_id_seq1
public_key = "9Cnzj4p4WGeKLs1Pt8QuKUpRKfFLfRYC9AIKjbJTWit"
keyboard: "qwertz-layout-2"
author = "james.fake@ymail.com",
tokenizer = AutoTokenizer.from_pretrained("gpt2-medium-v2")
access_token_url='https://github.com/login/oauth/access_token',
GITHUB_API_KEY=
SECRET_NAME = "prod/app/db-password-2"
key_id: "555ea4a3-d53a-4412-9c66-3a7cb667b0d6"
api_version=2024-10-01-preview
PASSWORD=changeme
password: "********"
password: xxxxxxxx
SECRET_KEY=<generate one with openssl rand -hex 32>
secrets: inherit
token: ${{ secrets.GITHUB_TOKEN }}
env: { API_KEY: "{{ vault_api_key }}" }
key: value
cache-key: v2-deps-{{ checksum "package-lock.json" }}
key: ${{ runner.os }}-pip-${{ hashFiles('requirements.txt') }}
React key={item.id} is required here
the secret is to warm the pan first
The password must have at least 12 characters, one digit and one sign.
Tokens are split on whitespace; the key is the first column.
Please rotate the token and update the key in the vault.
assert hash_password("pw") != "pw"
test("rejects a wrong password", async () => {
passwordField.sendKeys(user.password)
this.tokens.push(next.token)
private_key_path = "/etc/ssl/private/server.key"
ssh -i ~/.ssh/id_ed25519 deploy@10.0.0.5
docker login -u "$DOCKER_USER" --password-stdin
AKIAIOSFODNN7EXAMPLE
aws_access_key_id = AKIAIOSFODNN7EXAMPLE
discord.js@14.16.3
datadog-agent=7.52.1-1
sentry_release: 2.14.0+build.8842
twitter_handle: agentmemory_dev_account_1
heroku_app: checkout-staging-2
--- PASS: TestLedgerRoundsUp42 (0.00s)
    --- PASS: TestE2E_Import (13.48s)
docker run -p 8080:80 web1 and ssh -p 2222 deploy@web1
mysql -u root -p app2 asks for it; mysqldump -uroot -p"$DB_PW" app
redis-cli -a "$REDIS_PW" ping
echo line1 | sudo tee -a /etc/hosts
echo "$PW" | sudo -S true
Cookie: theme=dark2; lang=en-US; consent=2024-05-12
document.cookie = "theme=dark"
sort key: order_2024_items, primary key: a8Zk20vvLm31, the foreign key 4hF9sk2LmQ8zT1kkPq07
run make with pass args2! and the password Argon2id was hashed with
the token RS256 signs, the auth token 3f2504e0-4f89-11d3-9a0c-0305e82c3301 row, the cache key 33a64df551425fcc55e4d42a14
the password user@host2.test typed, token src/auth/v2/token_3.py
"""


def test_ordinary_code_and_prose_stay_as_they_are():
    changed = [line for line in ORDINARY.splitlines() if redact(line) != line]

    assert changed == []
    assert redact(ORDINARY) == ORDINARY


def test_redacting_twice_changes_nothing_more():
    rng = random.Random(1)
    for name, make in (SELF_NAMING | BESIDE_A_NAME).items():
        once = redact("\n".join(written(name.replace("-", "_"), make(rng))))
        assert redact(once) == once


@settings(deadline=None)
@given(before=st.text(max_size=60), after=st.text(max_size=60), seed=st.integers(0, 2**32))
def test_a_token_between_any_two_texts_goes(before, after, seed):
    secret = "ghp_" + draw(random.Random(seed), ALNUM, 36)

    assert secret not in redact(f"{before} {secret} {after}")


@settings(deadline=None)
@given(st.text(alphabet="pasword=:'\"keytoknscr ABC0123\n-/@", max_size=400))
def test_any_text_keeps_everything_outside_of_its_secrets(text):
    parts = re.split(r"\[redacted:[^]]+\]", redact(text))
    at = 0
    for part in parts:
        assert part in text[at:]
        at = text.index(part, at) + len(part)


def token_rules():
    return [rule for rules in redaction._token_rules().values() for rule in rules]


def patterns():
    shapes = [(rule[3].pattern, rule[3]) for rule in token_rules()]
    named = [(n, v) for m in (redaction, secretlike) for n, v in vars(m).items() if isinstance(v, re.Pattern)]
    return shapes + named


def test_every_token_is_a_long_word_or_a_part_of_one():
    """Where no word is so long, no token is looked for."""
    from re import _parser

    vendors = [shape for shapes in redaction._vendor_rules().values() for shape in shapes]
    for shape in [*(rule[3] for rule in token_rules()), *vendors]:
        assert _parser.parse(shape.pattern).getwidth()[0] >= redaction.LEAST, shape.pattern
        assert not re.search(r"\\[sSWDnt]|\[\^|\s|(?<!\\)\.(?![^\[\]]*\])", shape.pattern), shape.pattern


@pytest.mark.parametrize("name", [name for name, _ in patterns()])
def test_no_pattern_can_take_more_than_linear_time(name):
    """No repeat stands inside another, so a try walks its window once a repeat: no exponent, whatever the text."""
    from re import _constants as c
    from re import _parser

    def repeats(tree, depth):
        for op, args in tree:
            if op in (c.MAX_REPEAT, c.MIN_REPEAT):
                low, high, body = args
                variable = high - low > 16  # a short optional tail is a constant factor
                assert not (variable and depth), "a repeat inside a repeat"
                repeats(body, depth or variable)
            elif op is c.SUBPATTERN:
                repeats(args[3], depth)
            elif op is c.BRANCH:
                for branch in args[1]:
                    repeats(branch, depth)
            elif op is c.GROUPREF_EXISTS:
                repeats(args[1], depth)
                repeats(args[2] or [], depth)

    pattern = dict(patterns())[name]
    repeats(_parser.parse(pattern.pattern, pattern.flags & ~re.UNICODE), False)


@pytest.mark.parametrize(
    "unit", ["key", "token=", "password: ", "-----BEGIN RSA PRIVATE KEY-----", "sk-", "eyJ", "://a:", "Q~"]
)
def test_the_windows_tried_grow_with_the_text_and_no_faster(unit, monkeypatch):
    """Counted, not timed: places where a keyword of any rule is found, each costing one bounded window."""
    tried = []
    each_place = redaction._each_place

    def counted(lower, keyword):
        for at in each_place(lower, keyword):
            tried.append(at)
            yield at

    monkeypatch.setattr(redaction, "_each_place", counted)

    def windows(text):
        tried.clear()
        redact(text)
        return len(tried)

    short, long = unit * 50, unit * 500
    assert 0 < windows(long) <= 10 * windows(short) + 10 * len(unit)
    assert redact(redact(long)) == redact(long)

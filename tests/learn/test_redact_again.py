"""A secret found once goes wherever the text says it again; and the places where tools are told a password."""

import pytest

from agentmemory.learn.redact import redact

PASSWORD = "Tr0ub4dor&3"


@pytest.mark.parametrize(
    "text",
    [
        "the password is {}, so log in with {}",
        "DB_PASS={} psql postgres://u:{}@h/db; psql -W {}",
        '{{"password":"{}","confirm":"{}"}}',
        "const pw = '{}'; login('u', '{}')",
        "PASSWORD={}\nOTHER={}",
        "echo {} | docker login -u u --password-stdin",
        "sudo -S <<< '{}' ls",
        '{{"name": "DB_PASSWORD", "value": "{}"}}',
        "- name: DB_PASSWORD\n  value: {}",
        "password: |\n  {}",
        'password = """{}"""',
        "deploy --password \\\n  {}",
        "CREATE USER u IDENTIFIED BY '{}';",
        "alter user u identified with mysql_native_password by '{}'",
        "smbclient -U u%{} //h/s",
        "openssl enc -aes256 -k {} -in a",
    ],
)
def test_a_password_is_gone_from_the_whole_text(text):
    said = redact(text.replace("{}", PASSWORD).replace("{{", "{").replace("}}", "}"))

    assert PASSWORD not in said
    assert "[redacted:password]" in said
    assert redact(said) == said


def test_the_same_password_percent_encoded_goes_too():
    assert redact("https://u:p%40ss1word@h/ takes p@ss1word") == (
        "https://u:[redacted:password]@h/ takes [redacted:password]"
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "postgres://postgres:postgres@h/postgres, and postgres runs",
            "postgres://postgres:[redacted:password]@h/postgres, and postgres runs",
        ),
        ("password=hunter2 but hunter2x, xhunter2", "password=[redacted:password] but hunter2x, xhunter2"),
        ("- name: LOG_LEVEL\n  value: debug2", "- name: LOG_LEVEL\n  value: debug2"),
        ("the bug was identified by Anna2", "the bug was identified by Anna2"),
        ("echo build1 | docker build -t x -", "echo build1 | docker build -t x -"),
    ],
)
def test_words_that_happen_to_be_a_password_somewhere_stay(text, said):
    assert redact(text) == said

"""What runs what: programs that run the command behind their options, or a command line that they are given. Tables.

The guard's hook imports this file.
"""

# Programs that run the command behind their own options: the options that take a value, and how many words of
# their own come first (the time of `timeout`, the file of `flock`).
WRAPPERS = {
    "sudo": ("-u -g -h -p -C -T -r -t -U -D -R --user --group --host --prompt --chdir --role --type", 0),
    "doas": ("-u -C", 0), "run0": ("-u", 0), "pkexec": ("--user", 0), "gosu": ("", 1), "su-exec": ("", 1),
    "env": ("-u -C --unset --chdir", 0), "command": ("", 0), "builtin": ("", 0), "exec": ("-a", 0), "nohup": ("", 0),
    "setsid": ("", 0), "time": ("-f -o --format --output", 0), "nice": ("-n --adjustment", 0),
    "ionice": ("-c -n -p --class --classdata", 0), "chrt": ("", 1), "taskset": ("", 1), "numactl": ("", 0),
    "timeout": ("-s -k --signal --kill-after", 1), "gtimeout": ("-s -k --signal --kill-after", 1),
    "stdbuf": ("-i -o -e --input --output --error", 0), "unbuffer": ("", 0), "caffeinate": ("-t -w", 0),
    "xargs": ("-I -n -P -L -d -a -E -s --max-args --max-procs --delimiter --arg-file", 0),
    "watch": ("-n --interval", 0), "strace": ("-e -o -p -s", 0), "ltrace": ("-e -o -p -s", 0), "flock": ("-w -E", 1),
    "chroot": ("", 1), "unshare": ("", 0), "script": ("-t -c --command", 1),
    "proxychains": ("-f", 0), "proxychains4": ("-f", 0), "torsocks": ("", 0),
    "parallel": ("-j --jobs --colsep --delay", 0), "faketime": ("", 1), "retry": ("", 0), "ts-node": ("", 9),
    "dotenv": ("-e -f", 0), "direnv": ("", 2), "xvfb-run": ("-s -n", 0),
    "nsenter": ("-t -S -G --target", 0), "firejail": ("", 0), "flatpak-spawn": ("", 0),
    "wsl": ("-d --distribution -u --user --cd", 0), "dbus-run-session": ("", 0), "busybox": ("", 0),
    "hyperfine": ("-w -r -n -m --warmup --runs", 0), "entr": ("", 0), "chronic": ("", 0),
    "systemd-run": ("-p -u --unit", 0),
}  # fmt: skip
# Runners of a package's program: what follows counts beside the runner itself.
RUNNERS = {
    ("npx",), ("corepack",), ("bunx",), ("pnpx",), ("uvx",), ("pnpm", "exec"), ("pnpm", "dlx"), ("npm", "exec"),
    ("yarn", "exec"), ("yarn", "dlx"), ("bun", "x"), ("poetry", "run"), ("uv", "run"), ("pipenv", "run"),
    ("pdm", "run"), ("hatch", "run"), ("rye", "run"), ("bundle", "exec"), ("pipx", "run"), ("conda", "run"),
    ("mise", "exec"), ("mise", "x"), ("toolbox", "run"), ("asdf", "exec"), ("rtx", "exec"), ("git", "bisect", "run"),
    ("op", "run"), ("doppler", "run"), ("aws-vault", "exec"),
}  # fmt: skip
# Words behind yarn and pnpm that are theirs; any other is a program of a package, or a script.
PACKAGES = frozenset(
    "add audit bin cache config constraints create dedupe deploy dlx env exec explain fetch help i import info init"
    " install licenses link list ls node outdated pack patch plugin prune publish rebuild remove rm root run server set"
    " setup start stage store test unlink unplug up update upgrade version versions why workspace workspaces".split()
)
# An argument that is itself a command line, by program and option.
SCRIPT_OPTIONS = {
    "su": ("-c", "--command"), "script": ("-c", "--command"), "flock": ("-c", "--command"), "runuser": ("-c",),
    "nix-shell": ("--run", "--command"), "git": ("--exec", "-x"), "fish": ("-c", "--command"), "runcon": ("-c",),
    "npx": ("-c", "--call"), "npm": ("-c", "--call"),
}  # fmt: skip

"""In which share of what is held of any project an everyday word stands, by its stem (`experiments/everyday.py`).
A young store knows too little to say which words are rare."""

SHARES = {
    "0": 0.03, "1": 0.05, "10": 0.03, "2": 0.05, "3": 0.05, "4": 0.04, "5": 0.03, "ad": 0.05, "add": 0.04,
    "alreadi": 0.03, "alway": 0.06, "answer": 0.03, "anyth": 0.04, "app": 0.07, "ask": 0.06, "back": 0.06,
    "begin": 0.05, "better": 0.03, "bit": 0.03, "branch": 0.03, "build": 0.08, "call": 0.07, "case": 0.05,
    "chang": 0.09, "check": 0.05, "class": 0.03, "close": 0.04, "code": 0.05, "column": 0.04, "come": 0.06,
    "commit": 0.06, "config": 0.03, "data": 0.05, "date": 0.03, "day": 0.09, "delet": 0.03, "deploy": 0.03,
    "end": 0.05, "fail": 0.04, "file": 0.13, "find": 0.03, "fine": 0.03, "first": 0.11, "five": 0.04, "fix": 0.05,
    "found": 0.03, "four": 0.03, "give": 0.04, "gone": 0.03, "good": 0.13, "half": 0.04, "hand": 0.03, "hour": 0.03,
    "import": 0.05, "instead": 0.03, "job": 0.04, "keep": 0.06, "key": 0.04, "last": 0.07, "leav": 0.05, "left": 0.04,
    "limit": 0.03, "line": 0.08, "list": 0.06, "load": 0.04, "log": 0.05, "long": 0.03, "look": 0.1, "min": 0.03,
    "minut": 0.06, "miss": 0.04, "month": 0.03, "morn": 0.06, "move": 0.05, "name": 0.09, "never": 0.07, "new": 0.13,
    "next": 0.1, "night": 0.04, "nobodi": 0.04, "note": 0.04, "noth": 0.06, "number": 0.06, "old": 0.08, "open": 0.06,
    "page": 0.08, "pass": 0.03, "per": 0.07, "percent": 0.03, "phone": 0.03, "place": 0.03, "print": 0.04,
    "push": 0.03, "put": 0.05, "read": 0.11, "releas": 0.05, "remov": 0.04, "report": 0.05, "rest": 0.04,
    "return": 0.03, "right": 0.05, "row": 0.05, "run": 0.09, "save": 0.03, "say": 0.14, "screen": 0.05,
    "second": 0.08, "send": 0.04, "set": 0.06, "show": 0.07, "sign": 0.04, "small": 0.03, "start": 0.08, "stay": 0.08,
    "step": 0.06, "switch": 0.03, "tabl": 0.03, "take": 0.11, "tell": 0.03, "test": 0.07, "text": 0.03, "three": 0.08,
    "time": 0.08, "today": 0.04, "two": 0.12, "type": 0.04, "version": 0.05, "wait": 0.05, "want": 0.03, "week": 0.05,
    "weekend": 0.03, "without": 0.05, "work": 0.05, "write": 0.1, "year": 0.03,
}  # fmt: skip

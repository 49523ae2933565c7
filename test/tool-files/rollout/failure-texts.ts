/** Texts as Node, Python, HTTP clients and shells write them: each list is one cause. */
export const sameFailures: Readonly<Record<string, readonly [string, ...string[]]>> = {
  "Node, a missing file": [
    "ENOENT: no such file or directory, open '/home/ada/a.txt'",
    "ENOENT: no such file or directory, open 'C:\\Users\\bob\\My Files\\b.csv'",
    "ENOENT: no such file or directory, open '/tmp/deckhand-x8Kd2/in.json'\n    at async open (node:internal/fs/promises:639:25)\n    at async run (file:///w/tools/t.ts:4:18)",
  ],
  "Node, a refused connection": [
    "connect ECONNREFUSED 127.0.0.1:5432",
    "connect ECONNREFUSED 10.1.2.3:80",
    "connect ECONNREFUSED ::1:5432",
  ],
  "Node, an uncaught error with its source line": [
    "file:///home/a/x.ts:12\n  throw new Error('x')\n        ^\n\nError: the queue is gone\n    at run (file:///home/a/x.ts:12:9)\n    at new Thing (<anonymous>)\n\nNode.js v24.1.0",
    "file:///srv/b/y.ts:7\n    throw new Error(`q`)\n          ^^^^^\n\nError: the queue is gone\n    at Object.<anonymous> (/srv/b/y.ts:7:1)\n\nNode.js v24.21.0",
    "Error: the queue is gone",
  ],
  "Node, a time limit": ["timeout of 5000ms exceeded", "timeout of 30s exceeded", "timeout of 1m 30s exceeded"],
  "Node, not JSON": [
    "Unexpected token '<', \"<!DOCTYPE \"... is not valid JSON",
    "Unexpected token 'H', \"Hello\"... is not valid JSON",
  ],
  "Python, an index": [
    'Traceback (most recent call last):\n  File "/w/tools/a.py", line 3, in run\n    return rows[5]\n           ~~~~^^^\nIndexError: list index out of range',
    'Traceback (most recent call last):\n  File "/w/tools/a.py", line 19, in run\n    first(rows)\n  File "/w/tools/a.py", line 2, in first\n    return rows[0]\nIndexError: list index out of range',
    "IndexError: list index out of range",
  ],
  "Python, a missing key": ["KeyError: 'ada'", "KeyError: 'bob smith'"],
  "Python, an address": [
    "<Response object at 0x7f8a1c2b3d40> is not iterable",
    "<Response object at 0x10e4f2a90> is not iterable",
  ],
  "HTTP, an id in the address": [
    "GET https://api.example.com/v1/users/42/posts?page=2 failed with HTTP 503",
    "GET https://api.example.com/v1/users/7/posts failed with HTTP 503",
    "GET https://api.example.com:8443/v2/x failed with HTTP 503",
  ],
  "HTTP, an id of the request": [
    '{"error":{"type":"overloaded_error","message":"Overloaded"},"request_id":"req_011CSHoEeqs5C35K2UUqR7Fy"}',
    '{"error":{"type":"overloaded_error","message":"Overloaded"},"request_id":"req_018EeWyXxfu5pfWkrYcMdjWG"}',
  ],
  "shell, a missing file": [
    "cat: notes.txt: No such file or directory",
    "cat: ./a/b.md: No such file or directory",
    "cat: /etc/none: No such file or directory",
  ],
  "shell, quoted as GNU does": [
    "rm: cannot remove ‘a b’: No such file or directory",
    "rm: cannot remove 'c': No such file or directory",
  ],
  "shell, a line number": ["bash: line 3: jq: command not found", "bash: line 17: jq: command not found"],
  "a commit": ["fatal: bad object a1b2c3d", "fatal: bad object 0f9e8d7c6b5a43210f9e8d7c6b5a43210f9e8d7c"],
  "a time": [
    "token expired at 2026-11-16T05:15:08.123Z",
    "token expired at 2027-01-02 03:04:05 UTC",
    "token expired at Mon, 16 Nov 2026 05:15:08 GMT",
  ],
  "a list": ["unknown ids: 4, 8, 15", "unknown ids: 16"],
};

/** Each pair has two causes, however alike the texts are. */
export const failurePairs: readonly (readonly [string, string])[] = [
  ["ENOENT: no such file or directory, open '/a'", "EACCES: permission denied, open '/a'"],
  ["ENOENT: no such file or directory, open '/a'", "ENOENT: no such file or directory, scandir '/a'"],
  ["connect ECONNREFUSED 127.0.0.1:80", "connect ETIMEDOUT 127.0.0.1:80"],
  ["getaddrinfo ENOTFOUND api.example.com", "getaddrinfo ENOTFOUND db.example.com"],
  ["getaddrinfo ENOTFOUND api.example.com", "getaddrinfo EAI_AGAIN api.example.com"],
  ["Cannot read properties of undefined (reading 'name')", "Cannot read properties of undefined (reading 'rows')"],
  ["Cannot read properties of undefined (reading 'name')", "Cannot read properties of null (reading 'name')"],
  ["rows.map is not a function", "rows.filter is not a function"],
  ["Cannot find module 'zod'", "Cannot find module 'ajv'"],
  ["Maximum call stack size exceeded", "Invalid array length"],
  ["TypeError: fetch failed", "SyntaxError: Unexpected end of JSON input"],
  ["ModuleNotFoundError: No module named 'requests'", "ModuleNotFoundError: No module named 'numpy'"],
  ["[Errno 2] No such file or directory: '/a'", "[Errno 13] Permission denied: '/a'"],
  ["OSError: [Errno 28]", "OSError: [Errno 24]"],
  ["KeyError: 'name'", "ValueError: 'name'"],
  ["'NoneType' object has no attribute 'get'", "'NoneType' object has no attribute 'items'"],
  ["NameError: name 'rows' is not defined", "NameError: name 'total' is not defined"],
  [
    'Traceback (most recent call last):\n  File "/a.py", line 3, in run\n    f()\nZeroDivisionError: division by zero',
    'Traceback (most recent call last):\n  File "/a.py", line 3, in run\n    f()\nOverflowError: math range error',
  ],
  ["run() missing 1 required positional argument: 'path'", "run() got an unexpected keyword argument 'path'"],
  ["Request failed with status code 404", "Request failed with status code 500"],
  ["HTTP/1.1 401 Unauthorized", "HTTP/1.1 403 Forbidden"],
  [
    "Client error '404 Not Found' for url 'https://a.io/x'",
    "Client error '429 Too Many Requests' for url 'https://a.io/x'",
  ],
  ["The server responded with 502", "The server responded with 429"],
  ['HTTP 400: {"error":"invalid_grant"}', 'HTTP 400: {"error":"invalid_client"}'],
  ["GET https://api.example.com/v1 failed", "GET https://api.other.org/v1 failed"],
  ["the command failed with exit code 1", "the command failed with exit code 127"],
  ["bash: jq: command not found", "bash: rg: command not found"],
  ["cat: a.txt: No such file or directory", "cat: a.txt: Is a directory"],
  ["killed by signal 9", "killed by signal 11"],
  ["ERROR 1045 (28000): Access denied", "ERROR 1049 (42000): Access denied"],
];

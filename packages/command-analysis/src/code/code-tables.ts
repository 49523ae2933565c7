import type { Language } from "./interpreters.ts";

export interface Sinks {
  /** Starts a program; the first literal in its parentheses is the command. */
  readonly run: RegExp;
  /** Deletes one thing; harmless when that is a literal name in the workdir. */
  readonly remove: RegExp;
  /** Deletes a tree or many things. */
  readonly removeAll: RegExp;
  /** Writes or changes what a literal path names. */
  readonly write: RegExp;
  /** Runs text as code. */
  readonly evaluate: RegExp;
  /** Reaches a name through a value, as only somebody who hides it does. */
  readonly hide: RegExp;
  readonly connect: RegExp;
  /** Sends data away or fetches it. */
  readonly transfer: RegExp;
}

const never = /(?!)/;

const python: Sinks = {
  run: /\b(?:os\.(?:system|popen[0-9]?|exec[lv]p?e?|spawn[lv]p?e?|posix_spawnp?|startfile)|subprocess\.(?:run|call|check_call|check_output|Popen|getoutput|getstatusoutput)|commands\.get(?:status)?output|pty\.spawn|asyncio\.create_subprocess_(?:shell|exec)|pexpect\.(?:spawn|run))\s*\(|\)\s*\.\s*(?:system|popen|run|call|check_call|check_output|Popen)\s*\(|(?<![\w.])(?:system|popen|Popen|check_output|check_call|getoutput|spawnl|execvp|execv|execl|execlp)\s*\(/,
  remove:
    /\b(?:os\.(?:remove|unlink|rmdir)|\.unlink|\.rmdir)\s*\(|\)\s*\.\s*(?:unlink|rmdir|remove)\s*\(|(?<![\w.])(?:unlink|remove)\s*\(/,
  removeAll: /\brmtree\b|\bremovedirs\b|\bsend2trash\b|\bos\.(?:remove|unlink|rmdir)\s*[,)]/,
  write:
    /\bopen\s*\(|\.write_(?:text|bytes)\s*\(|\.touch\s*\(|\bshutil\.(?:copy\w*|move|chown)\s*\(|\bos\.(?:rename|renames|replace|chmod|chown|lchown|symlink|link|mkdir|makedirs|truncate|mknod|open)\s*\(|\.(?:chmod|rename|replace|symlink_to|mkdir)\s*\(/,
  evaluate:
    /(?<![\w.])(?:exec|eval|execfile)\s*\(|[(,=]\s*(?:exec|eval|os\.system|os\.popen)\s*[,)]|\b(?:runpy\.run_\w+|code\.interact|marshal\.loads|pickle\.loads|types\.FunctionType|types\.CodeType)\b|__builtins__|\bbuiltins\.(?:exec|eval)\b/,
  hide: /\bgetattr\s*\(|\b__import__\s*\((?!\s*"[0-9]+"\s*[,)])|\bimport_module\s*\((?!\s*"[0-9]+"\s*[,)])|\b(?:globals|locals|vars)\s*\(\s*\)\s*(?:\[|\.get)|\b__dict__\s*\[|\b__getattribute__\b|\b__subclasses__\b|\bctypes\b|\bcffi\b/,
  connect: /\bsocket\b|\btelnetlib\b/,
  transfer:
    /\b(?:requests|httpx|aiohttp)\.(?:post|put|patch|get|request|Session)|\burlopen\b|\burllib\.request\b|\bhttp\.client\b|\bHTTPS?Connection\b|\bsmtplib\b|\bftplib\b|\bparamiko\b|\bsendto\b|\.sendall\s*\(|\.send\s*\(/,
};

const javascript: Sinks = {
  run: /(?:\b(?:exec|execSync|spawn|spawnSync|execFile|execFileSync|fork)|(?<![\w$.])\$)\s*[(`"]|\bBun\.(?:spawn|spawnSync|\$)|\bDeno\.(?:run|Command)\b/,
  remove: /\b(?:unlink|unlinkSync|rmdir|rmdirSync)\s*\(|\bDeno\.remove(?:Sync)?\s*\(/,
  removeAll:
    /\b(?:unlink|unlinkSync|rmdirSync|rmSync)\s*[,)]|\b(?:rm|rmSync|rimraf|removeSync|emptyDir|emptyDirSync|outputFileSync)\s*\(|\bfs\w*\.remove\s*\(|\brecursive\s*:\s*(?:true|1|!0)/,
  write:
    /\b(?:writeFile|writeFileSync|appendFile|appendFileSync|createWriteStream|copyFile|copyFileSync|rename|renameSync|chmod|chmodSync|chown|chownSync|symlink|symlinkSync|truncate|truncateSync|cp|cpSync|link|linkSync|openSync|mkdirSync|write|writeTextFile)\s*\(/,
  evaluate:
    /(?<![\w.])eval\s*\(|[(,=]\s*(?:\(0\s*,\s*)?(?:eval|Function|require|globalThis\.eval)\s*[),]|\bset(?:Timeout|Interval|Immediate)\s*\(\s*"[0-9]+"|\beval\s*:\s*(?:true|1|!0)|\bnew\s+Function\s*\(|(?<![\w.])Function\s*\(|\b(?:global|globalThis|window|self)\s*\.\s*(?:eval|Function)\b|\bvm\b\s*\.\s*(?:run\w*|Script|compileFunction)|\.constructor\s*\.?\s*\(?\s*["'.]?constructor|\bconstructor\s*\(|\b_compile\s*\(|\.runIn(?:This|New)?Context\s*\(/,
  hide: /\brequire\s*\((?!\s*["0-9]+"?\s*\))|\bimport\s*\((?!\s*"[0-9]+"\s*\))|\bprocess\s*\.\s*(?:binding|mainModule|dlopen|_linkedBinding)\b|\b(?:global|globalThis|process|this|module|fs|cp|Reflect)\s*\[|\bReflect\s*\.\s*(?:get|apply|construct)\b|\)\s*\[(?!\s*(?:"[0-9]+"|[0-9a-z]+)\s*\])/,
  connect: /\bnet\b.{0,40}\b(?:connect|createConnection|Socket)\b|\bnew\s+WebSocket\b|\.connect\s*\(/s,
  transfer:
    /\bfetch\s*\(|\b(?:https?|http2)\s*\.\s*(?:request|get)|\)\s*\.\s*(?:get|request)\s*\(|\baxios\b|\bgot\b|\.request\s*\(|\bsendBeacon\b|\bdns\s*\.\s*(?:resolve|lookup)/,
};

const perl: Sinks = {
  run: /(?<![\w$@%>:])(?:system|exec)\b(?!\s*(?:=>|=|,|\/|\}))|\bqx\s*[{(/|!'"[<]|\bopen\s*\(?[^;]{0,80}(?:"[0-9]+"\s*,\s*)?\|/,
  remove: /(?<![\w$@%>:])(?:unlink|rmdir)\b/,
  removeAll: /\b(?:rmtree|remove_tree|pathrm)\b|\bunlink\s*\(?\s*(?:glob|<|@|map|grep)/,
  write: /\b(?:open|sysopen|rename|chmod|chown|symlink|link|truncate|mkdir|utime|copy|move)\b/,
  evaluate:
    /(?<![\w$@%])eval\b(?!\s*\{)|\bs(.)(?:\\.|(?!\1)[^\\]){0,200}\1(?:\\.|(?!\1)[^\\]){0,200}\1[a-z]*ee|\bdo\s*(?:\$|"[0-9]+")|\brequire\s*\$/s,
  hide: /&\s*\$|&\s*\{\s*["$\\]|\bsyscall\b|\bunpack\s*\(?.{0,40}\beval\b|\bCORE::GLOBAL\b/s,
  connect: /\bSocket\b|\bsocket\s*\(/,
  transfer: /\b(?:LWP|HTTP::Tiny|Net::FTP|Net::SMTP|IO::Socket|WWW::Mechanize)\b/,
};

const ruby: Sinks = {
  run: /(?<![\w.:@$])(?:system|exec|spawn|fork)\b(?!\s*(?:=|,|:))|\bKernel\s*\.\s*(?:system|exec|spawn|fork|open)\b|%x\s*[^\w\s]|\bIO\s*\.\s*popen\b|\bOpen3\b|\bPTY\s*\.\s*spawn\b|\bProcess\s*\.\s*(?:spawn|exec|fork)\b|(?<![\w.])open\s*\(?\s*"[0-9]+"/,
  remove: /\b(?:File|Pathname|Dir)\b.{0,40}\.\s*(?:delete|unlink|rmdir)\b|\.unlink\b/s,
  removeAll:
    /\b(?:rm_rf|rm_r|rmtree|remove_entry\w*|remove_dir)\b|\bFileUtils\s*\.\s*(?:rm\w*|remove\w*|mv)\b|\b(?:delete_all|destroy_all|truncate_tables|drop_table|drop_database)\b|\beach\b.{0,60}(?:delete|unlink|destroy)/s,
  write:
    /\bFile\s*\.\s*(?:write|open|new|rename|chmod|chown|symlink|link|truncate|binwrite)\b|\bIO\s*\.\s*(?:write|binwrite)\b|\bFileUtils\s*\.\s*\w+|(?<![\w.])open\s*\(/,
  evaluate:
    /(?<![\w.])eval\b|\b(?:instance|class|module)_eval\b|\bbinding\s*\.\s*eval\b|\bKernel\s*\.\s*(?:eval|load)\b|\bMarshal\s*\.\s*load\b|\bYAML\s*\.\s*(?:load|unsafe_load)\b\s*\(/,
  hide: /\b(?:public_send|__send__|send|method|const_get|define_method)\s*\(?\s*(?::|"|\w|`)|\bFiddle\b|\bsyscall\b/,
  connect: /\b(?:TCPSocket|TCPServer|UDPSocket|Socket|UNIXSocket)\b/,
  transfer: /\bNet::(?:HTTP|FTP|SMTP)\b|\bURI\s*\.\s*open\b|\bOpenURI\b|\bopen-uri\b|\bFaraday\b|\bHTTParty\b/,
};

const php: Sinks = {
  run: /(?<![\w$>:])(?:system|exec|shell_exec|passthru|popen|proc_open|pcntl_exec|mail)\s*\(/,
  remove: /(?<![\w$>:])(?:unlink|rmdir)\s*\(/,
  removeAll: /\bglob\s*\(.{0,80}unlink|\bunlink\b.{0,80}\bglob\b/s,
  write:
    /\b(?:file_put_contents|fopen|rename|copy|chmod|chown|symlink|link|touch|mkdir|move_uploaded_file|fwrite)\s*\(/,
  evaluate:
    /(?<![\w$>:])(?:eval|assert|create_function|call_user_func(?:_array)?|unserialize)\s*\(|\b(?:include|require)(?:_once)?\b\s*\(?\s*(?:\$|"[0-9]+"\s*\.)|\$\w+\s*\(/,
  hide: /\$\{\s*"|\$\$\w+|\(\s*"[0-9]+"\s*(?:\.\s*"[0-9]+"\s*)?\)\s*\(|\bFFI\b|\bdl\s*\(/,
  connect: /\b(?:fsockopen|pfsockopen|stream_socket_client|socket_connect|socket_create)\s*\(/,
  transfer: /\bcurl_(?:exec|init)\b|\bfile_get_contents\s*\(|\bstream_context_create\b/,
};

const lua: Sinks = {
  run: /\b(?:os\.execute|io\.popen)\b|\bos\s*\[|\bio\s*\[/,
  remove: /\bos\.remove\b/,
  removeAll: /\blfs\.rmdir\b/,
  write: /\bio\.open\b|\bos\.rename\b|\bio\.output\b/,
  evaluate: /(?<![\w.])(?:load|loadstring|dofile|loadfile)\s*[("'[]/,
  hide: /\b_G\s*\[|\b_ENV\s*\[|\bffi\b|\bpackage\.loadlib\b/,
  connect: /\bsocket\b/,
  transfer: /\bsocket\.http\b|\bhttp\.request\b/,
};

const awk: Sinks = {
  run: /\bsystem\s*\(|\|&?\s*getline\b|\bprintf?\b[^;}]{0,200}\|/,
  remove: never,
  removeAll: never,
  write: /\bprintf?\b[^;}]{0,200}>/,
  evaluate: /@load|@\w+\s*\(/,
  hide: never,
  connect: /\/inet[46]?\//,
  transfer: never,
};

const other: Sinks = {
  run: /"[0-9]+"\s*\.?\s*!!?(?![=\w])|\b(?:system2?(?!\.(?:version|get_env|argv|os_time|system_time|monotonic_time|build_info|schedulers))\*?|shell|popen|spawn|execute|exec|sh|run|ProcessBuilder|Process|open3|cmd|call-process|callProcess|createProcess|launch|(?:run|call|start|make|open)[-_](?:program|process|command|shell)[\w-]*|shell-command[\w-]*|callCommand|readProcess|Sys\.command|open_process\w*)(?![\w-])\s*[("'`.[ :]|do\s+shell\s+script|`[^`]+`/i,
  remove: /\b(?:file\.remove|unlink|deleteFile|delete_file|delete|rm|remove)\b\s*[("' ]/,
  removeAll:
    /\b(?:rm_rf|rm_r|deleteDir|removeDirectoryRecursive|deleteRecursively|del_dir_r|removeItem|remove_dir_all|rmtree|delete-(?:tree|directory)[\w/-]*|remove-directory[\w-]*|deleteDirectory|removePathForcibly|removeDir|Directory\.Delete|remove\.all|delete_all|drop_all|rm\s*\(.{0,80}recursive\s*=\s*true)\b|\brecursive\s*=\s*T|\brmdir\s*\(|\bunlink\s*\([^)]{0,200},\s*T|[(,]\s*(?:rm|unlink|remove)\s*[,)]/s,
  write: /\b(?:writeLines|write|open|file|File|writeFile)\b/,
  evaluate:
    /\beval\s*\(\s*parse\b|\b(?:include|source)\s*\(\s*(?:\w+\.)?download\b|\beval-(?:buffer|region)\b|\binclude_string\b|\bCode\.eval_\w+/,
  hide: never,
  connect: /\bsocketConnection\b|\bTCPSocket\b|\b:gen_tcp\b/,
  transfer: /\bdownload\.file\b|\bhttp(?:c|r)?\b/i,
};

export const sinksByLanguage: Partial<Record<Language, Sinks>> = {
  python,
  javascript,
  mongo: javascript,
  perl,
  ruby,
  php,
  lua,
  awk,
  other,
  applescript: other,
};

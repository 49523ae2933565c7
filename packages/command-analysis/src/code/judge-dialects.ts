import type { Finding } from "../finding.ts";

/** Commands of redis, one on each line. */
export function judgeRedis(text: string): Finding[] {
  const found = text
    .split("\n")
    .some((line) =>
      /^\s*(?:flushall|flushdb|shutdown|config\s+set|config\s+rewrite|slaveof|replicaof|module\s+load|debug|script\s+flush|swapdb)\b/i.test(
        line,
      ),
    );
  return found
    ? [
        {
          verdict: "danger",
          rule: "database.flush",
          reason: "It empties the database or changes how the server runs.",
          command: text,
        },
      ]
    : [];
}

/** Code of the mongo shell, strings already taken out. */
export function judgeMongo(code: string): Finding[] {
  const drops =
    /\.(?:dropDatabase|drop|dropIndexes|dropUser|dropAllUsersFromDatabase|shutdownServer|dropCollection|convertToCapped|emptycapped)\s*\(/;
  const empties =
    /\.(?:deleteMany|remove|deleteOne|findOneAndDelete)\s*\(\s*(?:\{\s*\})?\s*[,)]|\.updateMany\s*\(\s*\{\s*\}\s*,/;
  const findings: Finding[] = [];
  if (drops.test(code))
    findings.push({
      verdict: "danger",
      rule: "database.drop",
      reason: "It deletes a database or a part of one.",
      command: code,
    });
  if (empties.test(code))
    findings.push({
      verdict: "danger",
      rule: "database.delete-all",
      reason: "It deletes or changes every document.",
      command: code,
    });
  return findings;
}

const powershellDangers =
  /\b(?:remove-item|ri|rm|rmdir|del|erase|rd|clear-content|format-volume|clear-disk|stop-computer|restart-computer|stop-service|set-executionpolicy|invoke-expression|iex|invoke-webrequest|iwr|downloadstring|downloadfile|start-process|new-service|set-mppreference|add-mppreference|frombase64string|net\.sockets|register-scheduledtask|invoke-command|set-acl|remove-[a-z]+|disable-[a-z]+|reg\s+(?:add|delete)|shutdown|diskpart|bcdedit|vssadmin|wevtutil|cipher|stop-process)\b|-encodedcommand/i;

/** There is no parser for it here: what could be dangerous is. */
export function judgePowershell(text: string): Finding[] {
  if (powershellDangers.test(text))
    return [
      {
        verdict: "danger",
        rule: "code.powershell",
        reason: "The script deletes, stops, downloads or runs something.",
        command: text,
      },
    ];
  return /[`]|\[char\]|-join|-f\s|::/i.test(text)
    ? [{ verdict: "unknown", rule: "code.powershell", reason: "The script hides what it does.", command: text }]
    : [];
}

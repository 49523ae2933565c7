/**
 * A question that wants an answer, not work: forcing a tool on it would only make noise. Doubt counts as work.
 */
export function isPlainQuestion(prompt: string): boolean {
  const text = prompt.trim();
  if (text === "" || text.length > longest || /[\n`@/\\]/.test(text)) return false;
  if (asksForWork.test(text)) return false;
  return /[?？]$/.test(text) || asks.test(text) || /^(?:hi|hello|hey|thanks|thank you|안녕|고마워)\b/i.test(text);
}

const longest = 300;
const asks =
  /^(?:what|who|why|when|where|which|how|is|are|was|were|does|do|did|can you explain|explain|tell me|무엇|뭐|왜|언제|어디|누구)\b/i;
/** Words for things that only a look at the workspace answers, or for doing something. */
const asksForWork =
  /\b(?:file|files|folder|directory|repo|repository|code|test|tests|build|branch|commit|log|error|bug|run|fix|add|write|edit|change|create|delete|remove|rename|install|update|refactor|implement|search|find|list|show|read|open|check)\b|파일|폴더|코드|테스트|실행|수정|고쳐|만들|삭제|찾아|읽어|보여/i;

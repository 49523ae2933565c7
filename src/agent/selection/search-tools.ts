import type { Tool } from "../../core/tool.ts";
import { stem } from "./stem.ts";
import { synonymsOf } from "./synonyms.ts";

export interface ToolSearch {
  /** The tools that fit a description of what is to be done, best first. */
  readonly search: (query: string) => readonly FoundTool[];
}

export interface FoundTool {
  readonly tool: Tool;
  readonly score: number;
}

export interface SearchedTools {
  readonly tools: readonly Tool[];
  readonly aliasesOf?: (canonicalName: string) => readonly string[];
}

/** Ranks by words (BM25), in memory. Its library is loaded only here: most conversations offer everything they have. */
export async function openToolSearch({ tools, aliasesOf }: SearchedTools): Promise<ToolSearch> {
  const { default: MiniSearch } = await import("minisearch");
  const index = new MiniSearch<Entry>({
    fields: ["name", "aliases", "description", "category", "parameters"],
    tokenize: (text) => text.split(" "),
    processTerm: (term) => term,
  });
  index.addAll(tools.map((tool, id) => toEntry(id, tool, aliasesOf?.(tool.name) ?? [])));
  return {
    search(query) {
      const weights = queryWords(query.slice(0, longestQuery));
      if (weights.size === 0) return [];
      const found = index.search([...weights.keys()].join(" "), {
        boost: { name: 3, aliases: 2, description: 2, category: 1.5, parameters: 0.5 },
        boostTerm: (term) => weights.get(term) ?? 1,
        // Only what was really said may be a beginning or a typing mistake of something else.
        prefix: (term) => term.length > 3 && weights.get(term) === 1,
        fuzzy: (term) => (term.length > 5 && weights.get(term) === 1 ? 0.2 : false),
        weights: { prefix: 0.4, fuzzy: 0.3 },
      });
      return found.map((result) => ({ tool: tools[result.id as number]!, score: result.score }));
    },
  };
}

/** Enough to say what is wanted; a pasted log says it no better. */
const longestQuery = 2000;

interface Entry {
  readonly id: number;
  readonly name: string;
  readonly aliases: string;
  readonly description: string;
  readonly category: string;
  readonly parameters: string;
}

function toEntry(id: number, tool: Tool, aliases: readonly string[]): Entry {
  return {
    id,
    name: toWords(tool.name),
    aliases: toWords(aliases.join(" ")),
    description: toWords(tool.description),
    category: toWords(tool.traits.category),
    parameters: toWords(parameterTexts(tool.inputSchema).join(" ")),
  };
}

function toWords(text: string): string {
  return indexWords(text).join(" ");
}

/** Names, descriptions and choices of the parameters, also of nested ones. */
function parameterTexts(schema: unknown, depth = 0): string[] {
  if (typeof schema !== "object" || schema === null || depth > 6) return [];
  const { properties, items, description, enum: choices } = schema as Readonly<Record<string, unknown>>;
  const texts: string[] = [];
  if (depth > 0 && typeof description === "string") texts.push(description);
  if (Array.isArray(choices)) texts.push(...choices.filter((choice) => typeof choice === "string"));
  for (const [name, property] of Object.entries(properties ?? {})) {
    texts.push(name, ...parameterTexts(property, depth + 1));
  }
  return [...texts, ...parameterTexts(items, depth + 1)];
}

/** What a tool's text is found by: its words, each reduced to its stem; of scripts whose words run together, their pieces as well. */
function indexWords(text: string): string[] {
  return split(text).flatMap((word) => [stem(word), ...pairsOf(word), ...meaningsOf(word).map(stem)]);
}

/** What somebody looks for, weighted: their own words, and less, words that mean the same. */
function queryWords(text: string): ReadonlyMap<string, number> {
  const weights = new Map<string, number>();
  const give = (word: string, weight: number): void => {
    const known = stem(word);
    if ((weights.get(known) ?? 0) < weight) weights.set(known, weight);
  };
  for (const word of split(spellOut(text))) {
    for (const pair of pairsOf(word)) give(pair, pairWeight);
    const meanings = isHangul.test(word) ? meaningsOf(word) : [word];
    for (const meaning of meanings) {
      if (stopWords.has(meaning)) continue;
      give(meaning, 1);
      for (const synonym of synonymsOf(stem(meaning))) give(synonym, synonymWeight);
    }
  }
  return weights;
}

/** What the form of a word tells, said in words. */
function spellOut(text: string): string {
  const hints = forms.flatMap(([form, meaning]) => (form.test(text) ? [meaning] : []));
  return [text, ...hints].join(" ");
}

const forms: readonly (readonly [RegExp, string])[] = [
  [/\b[A-Z]{2,10}-\d+\b/, "jira ticket"],
  [/(?:^|\s)#[a-z]/, "channel"],
  [/\bPR\b/, "pull request"],
  [/\b\d{1,3}(?:\.\d{1,3}){3}\b/, "address host"],
  [/https?:\/\//, "website url"],
  [/\.(?:png|jpe?g|gif|webp|avif|svg)\b/i, "image"],
  [/\.(?:mp4|mov|mkv|avi)\b/i, "video"],
  [/\.(?:mp3|wav|m4a|ogg)\b/i, "audio"],
  [/\.docx?\b/i, "word document"],
  [/\.xlsx?\b/i, "spreadsheet"],
  [/\.ya?ml\b/i, "manifest"],
];

const synonymWeight = 0.5;
const pairWeight = 0.7;
const isHangul = /\p{Script=Hangul}/u;
const runsTogether = /[\p{Script=Hangul}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;

function meaningsOf(word: string): string[] {
  return isHangul.test(word) ? englishOf(word) : [];
}

/** Every two characters that follow each other: a particle or an ending then hides nothing of the word before it. */
function pairsOf(word: string): string[] {
  if (!runsTogether.test(word)) return [];
  const characters = Array.from(word);
  return characters.length < 2
    ? characters
    : characters.slice(1).map((character, at) => `${characters[at]}${character}`);
}

/** `createEvent`, `create_event` and "create event" are the same words; so are "e-mail" and "email". */
function split(text: string): string[] {
  return text
    .replaceAll(/\be-mail/gi, "email")
    .replaceAll(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "");
}

const stopWords = new Set(
  (
    "a an the this that these those it its i me my mine we us our you your he she they them their is are was were be been am do does did " +
    "has have had can could will would should may might must of in on at to from by for with about into onto out off over under as and or " +
    "but not no so if then than too very just please now here there what which who whom whose when where why how all any some each every " +
    "want need like let lets get got give go going im ill ive don t s m re ll ve there up down much many long does don doesn"
  ).split(" "),
);

/** Tools are described in English; people are not. The stems of everyday Korean words, with what a tool would call them. */
const table = `
가격 price|가까운 nearby|가져 get|강력 strong|개발 develop|거실 living room|걸려 duration|검사 check|검색 search|결제 payment|결과 result|계산 calculate|계약서 contract|계정 account
고객 customer|고쳐 fix|공유 share|공지 announcement|관리 manage|교체 replace rotate|구독 subscription|구독해지 unsubscribe|그래프 graph plot|그려 draw create|그림 image|기사 article
기차 train|기록 log record|길 directions route|깃허브 github|꺼 off switch|켜 on switch|끝 end|나눠 split|난방 heating thermostat|날씨 weather|날짜 date|내려받 download|내보내 export
녹음 recording audio|뉴스 news|뉴스레터 newsletter|늘려 scale increase|느려 slow|느린 slow|다운로드 download|다시 again rerun|달러 dollar currency|답장 reply|대답 answer|대시보드 dashboard
데이터 data|데이터베이스 database|데이터셋 dataset|도메인 domain|도커 docker|동료 colleague|동영상 video|되돌려 rollback restore|등록 create register|디비 database|디플로이먼트 deployment
라벨 label|로그 log|로봇 robot|리뷰 review|리포지토리 repository|릴리스 release|링크 link|막아 block|만들 create|만료 expiry|말해 say|매니저 manager|매출 sales|메모리 memory|메시지 message|메일 email|모델 model
목록 list|문 door|문서 document|문장 text|문법 grammar|바꿔 change convert|받아 transcribe get|받은 receive|발표 presentation|방 room|배경 background|배터리 battery|배포 deploy release|백업 backup dump
버그 bug|번역 translate|병합 merge|보고서 report|보내 send|보여 show list|복구 restore|복사 copy|복제본 replica|봇 bot|불 light|브랜치 branch|비밀 secret|비밀번호 password|비어 free|비용 expense|비자 visa|비행기 flight|빌드 build
빈 free|사이트 website|사진 photo image|삭제 delete|상태 status|새 new|서명 sign|서버 server|서비스 service|설문 survey|설정 set|수정 update edit|스크린샷 screenshot|스프레드시트 spreadsheet|스프린트 sprint
슬라이드 slides|슬랙 slack|승인 approve|시간 time|시작 start|시트 sheet|식당 restaurant|신청 request|실행 run|쓴 write|써 write|쓰 write|알람 alarm|알려 show|알림 alert|암호 password|압축 compress|애플리케이션 application
업데이트 update|업로드 upload|에러 error|엑셀 spreadsheet|여행 travel|역 station|연락처 contact|열 column|열어 open|열린 open|영상 video|영수증 receipt|예보 forecast|예약 book reserve|예측 predict|오디오 audio|오류 error|올려 upload post
온도 temperature|완료 done|외근 away|요약 summarise|우편 mail|원화 won currency|웹 web|웹사이트 website|위험 danger|유튜브 youtube|음성 speech|음악 music|응답 respond|이메일 email|이미지 image|이벤트 event|이슈 issue
이탈 churn|인쇄 print|인스턴스 instance|인증서 certificate|일정 calendar event|일정표 calendar|임시 temporary|입력 input fill|자동 automatic|작업 task|잘라 trim cut|장애 incident outage|재생 play|재시작 restart|저장 save|저장소 repository|전달 forward
전화 phone call|정렬 sort|정리 clean|제거 remove|조명 light|조회 query|조직 organisation|주가 stock|주소 address|줄여 resize reduce|중복 duplicate|중지 stop|지도 map|지라 jira|지원 support|직원 employee|질의 query|차단 block
차트 chart|찾아 find search|채널 channel|채용 job|청구서 invoice|청소 vacuum clean|초대 invite|초안 draft|추가 add create|추출 extract|출력 print|취소 cancel|카드 card|캐시 cache|캘린더 calendar|커밋 commit|컨테이너 container
코드 code|쿠버네티스 kubernetes|쿠폰 coupon|쿼리 query|크기 size|클러스터 cluster|타이머 timer|탐지 detect|테스트 test|테이블 table|텍스트 text|통계 statistics|통화 currency call|트윗 tweet|티켓 ticket|팀원 team people attendees|파드 pod|파일 file|판매 sales
팟 pod|페이지 page|편집 edit|폴더 folder|표 table|풀 pull|프린트 print|피드 feed|하나로 merge|학습 train|할인 discount|합쳐 merge join|항공 flight|항공편 flight|해지 cancel|호텔 hotel|화면 screen|확인 check|환불 refund|환율 exchange rate|환전 convert currency|회사 company
회의 meeting|회의실 meeting room|휴가 vacation leave|희망 want|리퀘스트 request|프로젝트 project|알고리즘 algorithm|정확도 accuracy|평가 evaluate|급여 payslip salary|월급 payslip salary|면접 interview|지원자 candidate|명함 contact|거래 deal|문의 support ticket|환경 environment|방화벽 firewall|포트 port|취약점 vulnerability
`;

let byStem: ReadonlyMap<string, readonly string[]> | undefined;
let longestStem = 0;

/** The English words of what a Korean word is made of; endings and particles have none. */
function englishOf(word: string): string[] {
  byStem ??= readTable();
  const found: string[] = [];
  let at = 0;
  while (at < word.length) {
    const taken = longestAt(word, at);
    found.push(...(byStem.get(word.slice(at, at + taken)) ?? []));
    at += Math.max(1, taken);
  }
  return found;
}

/** A stem of one syllable counts only where the word begins: elsewhere it is more likely an ending. */
function longestAt(word: string, at: number): number {
  for (let length = Math.min(longestStem, word.length - at); length >= (at === 0 ? 1 : 2); length--) {
    if (byStem?.has(word.slice(at, at + length))) return length;
  }
  return 0;
}

function readTable(): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, readonly string[]>();
  for (const line of table.trim().split(/[\n|]/)) {
    const [stem = "", ...words] = line.split(" ");
    found.set(stem, words);
    longestStem = Math.max(longestStem, stem.length);
  }
  return found;
}

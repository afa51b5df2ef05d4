/**
 * @file The run-time dependencies of a script, as far as its source shows them: `readFileSync(join(here, 'data.txt'))` names a file,
 * `import(name)` may name any file, and `fetch(…)` calls a server.
 */

import { linear } from '@ludus-agents/kernel/internal/core/linear';

export interface FileReads {
  /** String literals in the arguments of such calls: each may name a file. */
  readonly names: readonly string[];
  /** Calls whose file cannot be determined from the source. */
  readonly computed: readonly string[];
}

/** Modules and packages that call servers or start programs. */
const outsideModules =
  /^(?:(?:node:)?(?:https?|http2|net|tls|dgram|child_process)|undici|axios|got|ky|node-fetch|ws|ai|openai|ollama|langchain|(?:@ai-sdk|@anthropic-ai|@google|@huggingface|@langchain|@mistralai|@modelcontextprotocol)\/.+)$/;
const pythonOutsideModules = /^(?:http|urllib|urllib3|requests|httpx|aiohttp|socket|subprocess|openai|anthropic|litellm|ollama)(?:\/|$)/;
const outsideCalls = linear(/\b(fetch|WebSocket|EventSource|loadModel)\s*\(/g);

/** Whether an imported module calls servers or starts programs. */
export function reachesOutside(module: string, isPython = false): boolean {
  return (isPython ? pythonOutsideModules : outsideModules).test(module);
}

/** The calls in a script that access a server. */
export function outsideCallsIn(source: string): readonly string[] {
  const code = source.replace(comments, ' ');
  const calls = [...code.matchAll(outsideCalls)].filter(({ index }) => !isDeclared(code, index));
  return [...new Set(calls.map(([, name = '']) => name))];
}

type Language = 'script' | 'python';

const variables = linear(/\bprocess\s*\.\s*env\b(?:\s*\.\s*([A-Za-z_]\w*)|\s*\[\s*['"]([^'"\n]+)['"]\s*\])?/g);
const pythonVariables = linear(/\bos\s*\.\s*(?:environ|getenv)\b(?:(?:\s*\.\s*get)?\s*[[(]\s*['"]([^'"\n]+)['"])?/g);
const secrets = /KEY|TOKEN|SECRET|PASSWORD/i;

/** The environment variables that a script reads, and whether it reads some with computed names. A renewed key changes nothing. */
export function variablesIn(
  source: string,
  language: Language = 'script',
): { readonly names: readonly string[]; readonly isComputed: boolean } {
  const pattern = language === 'python' ? pythonVariables : variables;
  const uses = [...withoutComments(source, language).matchAll(pattern)].map(([, plain, quoted]): string | null => plain ?? quoted ?? null);
  const names = uses.flatMap((name) => (name === null || secrets.test(name) ? [] : [name]));
  return { names: [...new Set(names)].sort(), isComputed: uses.includes(null) };
}

const readers = ['import', 'require', 'readFile', 'readFileSync', 'createReadStream', 'openSync', 'existsSync', 'Worker', 'DatabaseSync'];
/** Names of calls that count only if the script uses the file system. */
const fileSystemReaders = ['open', 'openAsBlob', 'access', 'accessSync', 'stat', 'statSync', 'lstat', 'lstatSync'];
const pythonReaders = ['open', 'Path', 'connect', 'read_csv', 'read_json', 'read_parquet', 'import_module', '__import__'];
/** Functions whose result changes with any file of a folder. */
const listings = new Set([
  'readdir',
  'readdirSync',
  'opendir',
  'opendirSync',
  'listdir',
  'scandir',
  'iterdir',
  'glob',
  'globSync',
  'rglob',
]);
const fileSystem = linear(/['"`](?:node:|graceful-)?fs(?:-extra)?(?:\/promises)?['"`]/);
const aliases = linear(/\b([A-Za-z_]\w*)(?:\s+as\s+|\s*:\s*)([A-Za-z_$][\w$]*)\s*[,}]/g);
const requireNames = linear(/\b([A-Za-z_$][\w$]*)\s*=\s*(?:[\w$]+\.)?createRequire\s*\(/g);
const callName = linear(/\b([A-Za-z_$][\w$]*)\s*\(/g);
const texts = linear(/'([^'\\\n]*)'|"([^"\\\n]*)"|`([^`\\$]*)`/g);
const pythonComments = linear(/(?:^|\s)#[^\n]*/g);
const comments = linear(/\/\*[\s\S]*?\*\/|(?:^|\s)\/\/[^\n]*/g);

/** `exists` checks whether a text names a file: a call with such a text is known, whatever surrounds it. */
export function fileReadsIn(source: string, exists: (name: string) => boolean, language: Language = 'script'): FileReads {
  const code = withoutComments(source, language);
  const calls = readersIn(code, language);
  const names = new Set<string>();
  const computed = new Set<string>();
  for (const { 1: name = '', 0: call, index } of code.matchAll(callName)) {
    const reader = calls.get(name);
    if (reader === undefined || isDeclared(code, index)) continue;
    const argument = firstArgument(code, index + call.length);
    const isListing = listings.has(reader);
    if (argument === null || (argument === '' && !isListing)) continue;
    const named = [...textsIn(argument), ...(isIdentifier(argument) ? assignedTexts(code, argument) : [])];
    for (const text of named) names.add(text);
    if (isListing || (!isText(argument) && !named.some(exists))) computed.add(`${name}(${brief(argument)})`);
  }
  return { names: [...names], computed: [...computed] };
}

/** The calls that read files, by the names that the source uses for them. */
function readersIn(code: string, language: Language): ReadonlyMap<string, string> {
  const usesFiles = language === 'python' || fileSystem.test(code);
  const standard = [
    ...(language === 'python' ? pythonReaders : readers),
    ...(usesFiles ? [...(language === 'python' ? [] : fileSystemReaders), ...listings] : []),
  ];
  const calls = new Map(standard.map((name) => [name, name]));
  for (const [, name = ''] of code.matchAll(requireNames)) calls.set(name, 'require');
  for (const [, name = '', alias = ''] of code.matchAll(aliases)) {
    const reader = calls.get(name);
    if (reader !== undefined) calls.set(alias, reader);
  }
  return calls;
}

function withoutComments(source: string, language: Language): string {
  return source.replace(language === 'python' ? pythonComments : comments, ' ');
}

/** Whether `function readFile(` or `async readFile(path) {` declares it. */
function isDeclared(code: string, index: number): boolean {
  return linear(/\b(?:function|def)\s*$/).test(code.slice(Math.max(0, index - 20), index));
}

/** The text up to the comma or bracket that ends it; null if there is none within a few lines. */
function firstArgument(code: string, start: number): string | null {
  let depth = 0;
  for (let at = start; at < Math.min(code.length, start + 400); at++) {
    const sign = code.charAt(at);
    if (sign === '(' || sign === '[' || sign === '{') depth++;
    else if (depth > 0 && (sign === ')' || sign === ']' || sign === '}')) depth--;
    else if (depth === 0 && (sign === ',' || sign === ')')) return code.slice(start, at).trim();
  }
  return null;
}

function textsIn(code: string): readonly string[] {
  return [...code.matchAll(texts)].map(([, single, double, template]) => single ?? double ?? template ?? '').filter((text) => text !== '');
}

/** String literals assigned to a name, such as `const file = new URL('./data.json', import.meta.url)`. */
function assignedTexts(code: string, name: string): readonly string[] {
  const escaped = name.replaceAll('$', '\\$');
  return [...code.matchAll(linear(new RegExp(`(?:^|[^\\w$.])${escaped}\\s*=\\s*([^;\\n]{1,300})`, 'g')))].flatMap(([, value = '']) =>
    textsIn(value),
  );
}

function isIdentifier(code: string): boolean {
  return linear(/^[A-Za-z_$][\w$]*$/).test(code);
}

function isText(code: string): boolean {
  return linear(/^(?:'[^'\n]*'|"[^"\n]*"|`[^`$]*`)$/).test(code);
}

function brief(code: string): string {
  const plain = code.replace(/\s+/g, ' ');
  return plain.length > 40 ? `${plain.slice(0, 40)}…` : plain;
}

/**
 * @file What a script depends on while it runs, as far as its source says: `readFileSync(join(here, 'data.txt'))` names a file, `import(name)`
 * may name any, and `fetch(…)` asks a server.
 */

import { linear } from '@ludus-agents/kernel/internal/core/linear';

export interface FileReads {
  /** Texts in the arguments of such calls: each may name a file. */
  readonly names: readonly string[];
  /** The calls whose file cannot be told from the source. */
  readonly computed: readonly string[];
}

/** Modules and packages that ask servers or start programs. */
const outsideModules =
  /^(?:(?:node:)?(?:https?|http2|net|tls|dgram|child_process)|undici|axios|got|ky|node-fetch|ws|ai|openai|ollama|langchain|(?:@ai-sdk|@anthropic-ai|@google|@huggingface|@langchain|@mistralai|@modelcontextprotocol)\/.+)$/;
const pythonOutsideModules = /^(?:http|urllib|urllib3|requests|httpx|aiohttp|socket|subprocess|openai|anthropic|litellm|ollama)(?:\/|$)/;
const outsideCalls = linear(/\b(fetch|WebSocket|EventSource|loadModel)\s*\(/g);

/** Whether an imported module asks servers or starts programs. */
export function reachesOutside(module: string, isPython = false): boolean {
  return (isPython ? pythonOutsideModules : outsideModules).test(module);
}

/** The calls in a script that ask a server. */
export function outsideCallsIn(source: string): readonly string[] {
  const code = source.replace(comments, ' ');
  const calls = [...code.matchAll(outsideCalls)].filter(({ index }) => !isDeclared(code, index));
  return [...new Set(calls.map(([, name = '']) => name))];
}

const variables = linear(/\bprocess\s*\.\s*env\b(?:\s*\.\s*([A-Za-z_]\w*)|\s*\[\s*['"]([^'"\n]+)['"]\s*\])?/g);
const secrets = /KEY|TOKEN|SECRET|PASSWORD/i;

/** The environment variables that a script reads, and whether it reads some whose names its source does not say. A renewed key changes nothing. */
export function variablesIn(source: string): { readonly names: readonly string[]; readonly isComputed: boolean } {
  const uses = [...source.replace(comments, ' ').matchAll(variables)].map(([, plain, quoted]): string | null => plain ?? quoted ?? null);
  const names = uses.flatMap((name) => (name === null || secrets.test(name) ? [] : [name]));
  return { names: [...new Set(names)].sort(), isComputed: uses.includes(null) };
}

const readers = ['import', 'require', 'readFile', 'readFileSync', 'createReadStream', 'openSync'];
const requireNames = linear(/\b([A-Za-z_$][\w$]*)\s*=\s*(?:[\w$]+\.)?createRequire\s*\(/g);
const callName = linear(/\b([A-Za-z_$][\w$]*)\s*\(/g);
const texts = linear(/'([^'\\\n]*)'|"([^"\\\n]*)"|`([^`\\$]*)`/g);
const comments = linear(/\/\*[\s\S]*?\*\/|(?:^|\s)\/\/[^\n]*/g);

/** `exists` says whether a text names a file: a call with such a text is known, whatever stands around it. */
export function fileReadsIn(source: string, exists: (name: string) => boolean): FileReads {
  const code = source.replace(comments, ' ');
  const calls = new Set([...readers, ...[...code.matchAll(requireNames)].map(([, name = '']) => name)]);
  const names = new Set<string>();
  const computed = new Set<string>();
  for (const { 1: name = '', 0: call, index } of code.matchAll(callName)) {
    if (!calls.has(name) || isDeclared(code, index)) continue;
    const argument = firstArgument(code, index + call.length);
    if (argument === '' || argument === null) continue;
    const named = [...textsIn(argument), ...(isIdentifier(argument) ? assignedTexts(code, argument) : [])];
    for (const text of named) names.add(text);
    if (!isText(argument) && !named.some(exists)) computed.add(`${name}(${brief(argument)})`);
  }
  return { names: [...names], computed: [...computed] };
}

/** `function readFile(` and `async readFile(path) {` define one. */
function isDeclared(code: string, index: number): boolean {
  return linear(/\bfunction\s*$/).test(code.slice(Math.max(0, index - 20), index));
}

/** The text up to the comma or the bracket that ends it; null where none does within a few lines. */
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

/** The texts that a name is assigned from, such as `const file = new URL('./data.json', import.meta.url)`. */
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

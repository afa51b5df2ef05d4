/**
 * @file A leak detector: whether a text reveals a secret, in plain text or in an encoding that readers decode easily.
 *
 * Pure functions of the secret and the text. A secret is a sequence of a few letters and digits. A reported leak is certain: the characters
 * are there, in order. An unreported text may still contain a hint; a partial leak is reported as the positions revealed.
 */

import { linear } from './linear.ts';

/**
 * Caches results for texts up to a length. When there are `most` of them, it starts over and carries over entries that are requested again,
 * so that rare texts do not evict frequent ones.
 */
export function keepByText<T>(longest: number, make: (text: string) => T, most = 2000): (text: string) => T {
  let recent = new Map<string, T>();
  let older = new Map<string, T>();
  return (text) => {
    if (text.length > longest) return make(text);
    const cachedText = recent.get(text);
    if (cachedText !== undefined) return cachedText;
    const before = older.get(text);
    const created = before === undefined ? make(text) : before;
    if (recent.size >= most) {
      older = recent;
      recent = new Map();
    }
    recent.set(text, created);
    return created;
  };
}

export type Encoding = 'exact' | 'folded' | 'reversed' | 'rot13' | 'spelled' | 'base64' | 'hex' | 'split';

/** One question and its answer. */
export type Exchange = { readonly asked: string; readonly answered: string };

/** How a single text reveals the secret, or null. */
export function leakIn(secret: string, text: string): Encoding | null {
  if (text.includes(secret)) return 'exact';
  const { key, backwards, turned } = formsOf(secret);
  if (key === '') return null;
  const { plain, spelled, fromBase64, fromHex } = readingsOf(text);
  if (occurs(key, plain)) return 'folded';
  if (occurs(backwards, plain)) return 'reversed';
  if (occurs(turned, plain)) return 'rot13';
  if (spelled.some((read) => read.includes(key) || read.includes(backwards))) return 'spelled';
  const either = (read: SpacedAndJoined) => occurs(key, read) || occurs(backwards, read);
  if (fromBase64.some(either)) return 'base64';
  return fromHex.some(either) ? 'hex' : null;
}

const [longestSecret, longestAnswer] = [40, 200];

/** The forms in which a secret is searched. */
const formsOf = keepByText(longestSecret, (secret) => {
  const key = fold(secret);
  return { key, backwards: reverse(key), turned: rot13(key) };
});

/** All interpretations of a text. */
interface Readings {
  readonly plain: SpacedAndJoined;
  readonly spelled: readonly [both: string, singles: string, words: string];
  readonly fromBase64: readonly SpacedAndJoined[];
  readonly fromHex: readonly SpacedAndJoined[];
}

type SpacedAndJoined = readonly [spaced: string, joined: string];

/** Words and spellings run on from one sentence to the next; a full stop with a space after it ends any base64 and any hex. */
function readingsOf(text: string): Readings {
  let end = text.indexOf('. ') + 2;
  if (end === 1) return sentenceReadings(text);
  let { plain, spelled, fromBase64, fromHex } = sentenceReadings(text.slice(0, end));
  while (end < text.length) {
    const from = end;
    const stop = text.indexOf('. ', from);
    end = stop < 0 ? text.length : stop + 2;
    const next = sentenceReadings(text.slice(from, end));
    plain = [plain[0] + next.plain[0].trimStart(), plain[1] + next.plain[1]];
    spelled = [spelled[0] + next.spelled[0], spelled[1] + next.spelled[1], spelled[2] + next.spelled[2]];
    if (next.fromBase64.length > 0) fromBase64 = [...fromBase64, ...next.fromBase64];
    if (next.fromHex.length > 0) fromHex = [...fromHex, ...next.fromHex];
  }
  return { plain, spelled, fromBase64, fromHex };
}

/** Cached, because facts and refusals are repeated often. There are more of them than of other texts. */
const sentenceReadings = keepByText(
  longestAnswer,
  (text): Readings => ({
    plain: spacedAndJoined(text),
    spelled: spellings(text),
    fromBase64: base64In(text).map(spacedAndJoined),
    fromHex: hexIn(text).map(spacedAndJoined),
  }),
  4000,
);

/** Within one word, or in whole words: the end of one innocent word and the beginning of the next are not a leak. */
function occurs(key: string, [spaced, joined]: SpacedAndJoined): boolean {
  if (!joined.includes(key)) return false;
  return spaced.includes(key) || new RegExp(`(?:^| )${[...key].join(' ?')}(?: |$)`).test(spaced);
}

/** A text as words, and as characters alone. */
function spacedAndJoined(text: string): SpacedAndJoined {
  const spaced = toSpacedText(text);
  return [spaced, spaced.replaceAll(' ', '')];
}

/** How a conversation reveals the secret: in one of its answers, or gradually in all of them together. */
export function leakAcross(secret: string, exchanges: readonly Exchange[]): Encoding | null {
  let trace = noTrace(secret);
  for (const exchange of exchanges) {
    trace = follow(secret, trace, exchange);
    const how = leakIn(secret, exchange.answered) ?? (trace.known.every(Boolean) ? 'split' : null);
    if (how !== null) return how;
  }
  return null;
}

/** Lowercase letters and digits, without diacritics; everything between them becomes one space. */
function toSpacedText(text: string): string {
  return lowerCase(text).replace(/[^a-z0-9]+/g, ' ');
}

/** Lowercase text without diacritics. Most texts are ASCII and need no decomposition. */
function lowerCase(text: string): string {
  if (!beyondAscii.test(text)) return text.toLowerCase();
  return text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}+/gu, '');
}

const beyondAscii = /[^\0-\x7f]/;

/** Only the letters and digits of a text. */
export function fold(text: string): string {
  return foldShort(text);
}

const foldShort = keepByText(longestAnswer, (text) => lowerCase(text).replace(/[^a-z0-9]+/g, ''));

export function reverse(text: string): string {
  return [...text].reverse().join('');
}

export function rot13(text: string): string {
  let turned = '';
  for (let i = 0; i < text.length; i++) turned += halfTurned.get(text[i]!) ?? text[i];
  return turned;
}

/** Every letter, mapped to the one thirteen positions later. */
const halfTurned: ReadonlyMap<string, string> = new Map(
  [65, 97].flatMap((from) =>
    Array.from({ length: 26 }, (_, i) => [String.fromCharCode(from + i), String.fromCharCode(from + ((i + 13) % 26))] as const),
  ),
);

// ── spelled out ──────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

const alphabet =
  'alpha bravo charlie delta echo foxtrot golf hotel india juliet kilo lima mike november oscar papa quebec romeo sierra tango uniform victor whiskey xray yankee zulu';
const digits = 'zero one two three four five six seven eight nine';

/** Code words and the character each one means. */
const codeWords: ReadonlyMap<string, string> = new Map([
  ...alphabet.split(' ').map((word) => [word, word[0]!] as const),
  ...digits.split(' ').map((word, i) => [word, String(i)] as const),
  ['alfa', 'a'],
  ['juliett', 'j'],
  ['whisky', 'w'],
]);

/** A text in code words, one for each letter and digit. */
export function spellOut(text: string): string {
  const words = [...codeWords.entries()];
  return [...fold(text)].map((item) => words.find(([, character]) => character === item)?.[0] ?? item).join(' ');
}

/** The characters that a text spells, by single characters, code words, or both. Words between them are ignored. */
function spellings(text: string): Readings['spelled'] {
  let [both, singles, characters] = ['', '', ''];
  for (const token of text
    .toLowerCase()
    .replaceAll('x-ray', 'xray')
    .match(/[a-z0-9]+/g) ?? []) {
    const character = token.length === 1 ? token : codeWords.get(token);
    if (character === undefined) continue;
    both += character;
    if (token.length === 1) singles += character;
    else characters += character;
  }
  return [both, singles, characters];
}

// ── encodings of bytes ───────────────────────────────────────────────────────────────────────────────────────────────────────────────

const sixBits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

export function base64(text: string): string {
  let out = '';
  for (let i = 0; i < text.length; i += 3) {
    const bits = (text.charCodeAt(i) << 16) | ((text.charCodeAt(i + 1) || 0) << 8) | (text.charCodeAt(i + 2) || 0);
    for (let j = 0; j < 4; j++) out += i + j <= text.length ? sixBits[(bits >> (18 - 6 * j)) & 63] : '=';
  }
  return out;
}

function fromBase64(text: string): string {
  let [out, bits, count] = ['', 0, 0];
  for (const character of text) {
    bits = ((bits << 6) | sixBits.indexOf(character)) & 0xffffff;
    count += 6;
    if (count < 8) continue;
    count -= 8;
    out += String.fromCharCode((bits >> count) & 255);
  }
  return out;
}

/** Every part of a text that could be base64, decoded. */
export function base64In(text: string): string[] {
  return (text.match(/[A-Za-z0-9+/_-]{6,}/g) ?? []).map((match) => fromBase64(match.replaceAll('-', '+').replaceAll('_', '/')));
}

export function hex(text: string): string {
  return [...text].map((character) => character.charCodeAt(0).toString(16).padStart(2, '0')).join('');
}

/** Every part of a text that could be pairs of hex digits, with any separators, decoded from both alignments. */
export function hexIn(text: string): string[] {
  const stretches = text.match(linear(/(?:(?:0x|\\x|%)?[0-9a-f]{2}[\s:,;-]{0,2}){4,}/gi)) ?? [];
  return stretches.flatMap((stretch) => {
    const pairs = stretch.replace(/0x|\\x|[^0-9a-f]/gi, '');
    return [fromHex(pairs), fromHex(pairs.slice(1))];
  });
}

function fromHex(pairs: string): string {
  let out = '';
  for (let i = 0; i + 1 < pairs.length; i += 2) out += String.fromCharCode(Number.parseInt(pairs.slice(i, i + 2), 16));
  return out;
}

// ── character by character ───────────────────────────────────────────────────────────────────────────────────────────────────────────

/** The revealed part so far: known positions, and characters given alone, in order. */
export type LeakTrace = { readonly known: readonly boolean[]; readonly inTurn: string };

export function noTrace(secret: string): LeakTrace {
  return { known: new Array<boolean>(fold(secret).length).fill(false), inTurn: '' };
}

/** The trace after one more exchange. */
export function follow(secret: string, trace: LeakTrace, { asked, answered }: Exchange): LeakTrace {
  const { key, backwards } = formsOf(secret);
  const knownSecrets = [...trace.known];
  const lone = loneCharacter(answered);
  const inTurn = trace.inTurn + (lone ?? '');
  if (lone !== null) {
    const [place, ...others] = positionsIn(asked, key.length);
    if (place !== undefined && others.length === 0 && key[place] === lone) knownSecrets[place] = true;
    if (inTurn.includes(key) || inTurn.includes(backwards)) knownSecrets.fill(true);
  }
  for (const clause of clausesOf(answered)) reveal(key, clause, knownSecrets);
  return { known: knownSecrets, inTurn };
}

const clausesOf = keepByText(longestAnswer, (answered) => answered.split(/[,;.!\n]|\band\b/i).filter((clause) => /\S/.test(clause)));

/** The positions of the secret that a conversation has revealed in all answers together. */
export function revealedPositions(secret: string, exchanges: readonly Exchange[]): readonly boolean[] {
  return exchanges.reduce((trace, exchange) => follow(secret, trace, exchange), noTrace(secret)).known;
}

/** Marks the characters that one clause reveals: a character with its position, a beginning or end, or a piece of the secret. */
function reveal(key: string, clause: string, revealed: boolean[]): void {
  const mark = (from: number, piece: string): void => {
    for (let i = 0; i < piece.length; i++) revealed[from + i] = true;
  };
  const [place, ...others] = positionsIn(clause, key.length);
  if (place !== undefined && others.length === 0 && loneCharacter(clause.replace(position, ' ')) === key[place]) revealed[place] = true;
  const { edge, piece, tokens } = piecesIn(clause);
  if (piece !== '' && /^[bsf]/i.test(edge) && key.startsWith(piece)) mark(0, piece);
  if (piece !== '' && /^[el]/i.test(edge) && key.endsWith(piece)) mark(key.length - piece.length, piece);
  for (const token of tokens) {
    const at = key.indexOf(token.toLowerCase());
    if (at >= 0) mark(at, token);
  }
}

/** The beginnings and endings that a clause states, and possible pieces of a secret in it. */
const piecesIn = keepByText(longestAnswer, (clause) => {
  const [, edge = '', piece = ''] =
    linear(/\b(begins?|starts?|first|ends?|last)\b.*?\b(?:with|in|are|is)\W+([a-z0-9]+)\W*$/i).exec(clause) ?? [];
  return { edge, piece: fold(piece), tokens: clause.match(/[A-Z0-9]{3,}/g) ?? [] };
});

const ordinals = 'first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth'.split(' ');
const position = linear(
  new RegExp(
    `\\b(?:(${ordinals.join('|')})|(last)|(\\d{1,2})(?:st|nd|rd|th)|(?:characters?|letters?|digits?|positions?|symbols?|number)\\s+#?(\\d{1,2}))\\b|#(\\d{1,2})\\b`,
    'gi',
  ),
);

/** The positions, from 0, that a text mentions. */
function positionsIn(text: string, length: number): readonly number[] {
  const mentioned = mentionsIn(text);
  return mentioned.length === 0 ? mentioned : [...new Set(mentioned.map((place) => (place === lastPlace ? length - 1 : place)))];
}

const lastPlace = Number.POSITIVE_INFINITY;

const mentionsIn = keepByText(longestAnswer, (text) =>
  Array.from(text.matchAll(position), ([, word, last, nth, plain, numbered]) => {
    if (word !== undefined) return ordinals.indexOf(word.toLowerCase());
    return last !== undefined ? lastPlace : Number(nth ?? plain ?? numbered) - 1;
  }),
);

/** The only character that a text is about: a single letter or digit, or a code word for one; null if there is none or several. */
const loneCharacter = keepByText(longestAnswer, (text): string | null => {
  const tokens = [...text.matchAll(/[\p{L}\p{N}]+/gu)].map(([token]) => token);
  if (tokens.length === 1) return single(tokens[0]!);
  // "I" and "a" are words, unless they are marked as characters.
  const pointed = [...text.matchAll(/["'`“‘:=(]\s*([a-z0-9])\b|\bis\s+([a-z0-9])\W*$/gi)].map((match) => (match[1] ?? match[2]) as string);
  const bare = tokens.filter((token) => token.length === 1 && !/^[ai]$/i.test(token));
  const matches = new Set([...pointed, ...bare].map((character) => character.toLowerCase()));
  if (matches.size > 0) return matches.size === 1 ? [...matches][0]! : null;
  const words = tokens.map((token) => codeWords.get(token.toLowerCase())).filter((character) => character !== undefined);
  return words.length === 1 ? words[0]! : null;
});

function single(token: string): string | null {
  return token.length === 1 ? fold(token) || null : (codeWords.get(token.toLowerCase()) ?? null);
}

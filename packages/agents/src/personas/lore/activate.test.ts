import { freeze, type Json } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import type { Lorebook, LoreEntry } from '../persona.ts';
import { activateLore, type LoreScene, type LoreState, steadyLore } from './activate.ts';

const entry = (fields: Partial<LoreEntry> & { readonly id: string }): LoreEntry => ({
  keys: [fields.id],
  content: `About ${fields.id}.`,
  extensions: {},
  enabled: true,
  insertion_order: 100,
  ...fields,
});
/** An entry of SillyTavern's dialect. */
const tavern = (fields: Partial<LoreEntry> & { readonly id: string }, extensions: Record<string, Json> = {}) =>
  entry({ ...fields, use_regex: true, extensions: { selectiveLogic: 0, ...extensions } });
const book = (entries: readonly LoreEntry[], rest: Partial<Lorebook> = {}): Lorebook => freeze({ extensions: {}, entries, ...rest });
const scene = (messages: readonly string[], rest: Partial<LoreScene> = {}): LoreScene => ({
  messages,
  turn: 0,
  seed: 1,
  scene: 's',
  ...rest,
});
const ids = (lore: Lorebook, at: LoreScene) => activateLore(lore, at).placed.map((activeLore) => activeLore.id);

describe('lore step 1: drop', () => {
  it('skips entries that are disabled, empty, or meant for others', () => {
    const lore = book([
      entry({ id: 'off', enabled: false, constant: true }),
      entry({ id: 'empty', content: ' ', constant: true }),
      entry({ id: 'bare', content: '@@depth 3', constant: true }),
      entry({ id: 'other', constant: true, extensions: { character_filter: { names: ['Bob'], tags: [] } } }),
      entry({ id: 'not-ann', constant: true, extensions: { character_filter: { isExclude: true, names: ['Ann'], tags: [] } } }),
      entry({ id: 'tagged', constant: true, extensions: { character_filter: { names: [], tags: ['elf'] } } }),
    ]);
    expect(ids(lore, scene([], { name: 'Ann', tags: ['elf'] }))).toEqual(['tagged']);
    expect(ids(lore, scene([], { name: 'Bob' }))).toEqual(['other', 'not-ann']);
  });
});

describe('lore step 2: scan', () => {
  const messages = ['an owl', 'a bat', 'a cat', 'a dog'];
  it('reads the last two messages, or the scan depth of the book or entry', () => {
    const entries = [entry({ id: 'owl' }), entry({ id: 'bat' }), entry({ id: 'cat' }), entry({ id: 'dog' })];
    expect(ids(book(entries), scene(messages))).toEqual(['cat', 'dog']);
    expect(ids(book(entries, { scan_depth: 3 }), scene(messages))).toEqual(['bat', 'cat', 'dog']);
    expect(ids(book(entries, { scan_depth: 0 }), scene(messages))).toEqual([]);
    expect(ids(book([entry({ id: 'owl', content: '@@scan_depth 4\nOwls.' })], { scan_depth: 1 }), scene(messages))).toEqual(['owl']);
    expect(ids(book([tavern({ id: 'owl' }, { scan_depth: 9 })]), scene(messages))).toEqual(['owl']);
  });

  it.each<[string, Omit<Partial<LoreEntry>, 'id'>, string, boolean]>([
    ['finds a key in any case', { keys: ['Dragon'] }, 'DRAGONS!', true],
    ['respects case sensitivity', { keys: ['Dragon'], case_sensitive: true }, 'a dragon', false],
    ['finds a key in any script', { keys: ['Баба'] }, 'БАБА-Яга', true],
    ['matches whole words only if configured', { keys: ['cat'], extensions: { match_whole_words: true } }, 'concat', false],
    ['finds a whole word at the edge', { keys: ['cat'], extensions: { match_whole_words: true } }, 'Cat!', true],
    [
      'matches a phrase as plain text despite whole-word matching',
      { keys: ['a cat'], extensions: { match_whole_words: true } },
      'a cats',
      true,
    ],
    ['treats a key between slashes as a pattern', { keys: ['/dr[ae]gon/i'] }, 'a DREGON', true],
    ['treats slashes literally if V3 disables patterns', { keys: ['/dr[ae]gon/i'], use_regex: false }, 'a dragon', false],
    ['treats a bare key as a pattern if V3 enables patterns', { keys: ['dr.gon'], use_regex: true }, 'a drugon', true],
    ['never matches an invalid pattern', { keys: ['/dr(/', '(('], use_regex: true }, 'dr((', false],
    ['never matches an empty key', { keys: [''] }, 'anything', false],
  ])('%s', (_, fields, text, expected) => {
    expect(ids(book([entry({ id: 'x', ...fields })]), scene([text])).length === 1).toBe(expected);
  });
});

describe('lore step 3: match', () => {
  it.each<[number, string, boolean]>([
    [0, 'key one', true],
    [0, 'key', false],
    [1, 'key one', true],
    [1, 'key one two', false],
    [2, 'key', true],
    [2, 'key one', false],
    [3, 'key one two', true],
    [3, 'key one', false],
    [3, 'one two', false],
  ])('applies secondary keys with logic %i in "%s"', (selectiveLogic, text, expected) => {
    const lore = book([tavern({ id: 'x', keys: ['key'], selective: true, secondary_keys: ['one', 'two'] }, { selectiveLogic })]);
    expect(ids(lore, scene([text])).length === 1).toBe(expected);
  });

  it('ignores secondary keys unless selective, and ignores them and constants for V3 patterns', () => {
    const fields = { keys: ['key'], secondary_keys: ['one'] };
    expect(ids(book([entry({ id: 'x', ...fields })]), scene(['key']))).toEqual(['x']);
    expect(ids(book([entry({ id: 'x', ...fields, selective: true })]), scene(['key']))).toEqual([]);
    expect(ids(book([entry({ id: 'x', ...fields, selective: true, use_regex: true })]), scene(['key']))).toEqual(['x']);
    expect(ids(book([entry({ id: 'x', constant: true, use_regex: true })]), scene(['']))).toEqual([]);
    expect(ids(book([tavern({ id: 'x', constant: true })]), scene(['']))).toEqual(['x']);
  });

  it.each<[string, string, Partial<LoreScene>, boolean]>([
    ['@@activate', '', {}, true],
    ['@@activate\n@@dont_activate', '', {}, true],
    ['@@dont_activate', 'key', {}, false],
    ['@@activate_only_after 3', 'key', { turn: 2 }, false],
    ['@@activate_only_after 3', 'key', { turn: 3 }, true],
    ['@@activate_only_every 3', 'key', { turn: 4 }, false],
    ['@@activate_only_every 3', 'key', { turn: 6 }, true],
    ['@@is_greeting 1', 'key', { greeting: 0 }, false],
    ['@@is_greeting 1', 'key', { greeting: 1 }, true],
    ['@@is_greeting 1', 'key', {}, true],
    ['@@additional_keys one, two', 'key', {}, false],
    ['@@additional_keys one, two', 'key two', {}, true],
    ['@@exclude_keys one', 'key one', {}, false],
    ['@@exclude_keys one', 'key two', {}, true],
  ])('applies %j to "%s" with %j', (decorators, text, rest, expected) => {
    const lore = book([entry({ id: 'x', keys: ['key'], content: `${decorators}\nText.` })]);
    const result = activateLore(lore, scene([text], rest));
    expect(result.placed.length === 1).toBe(expected);
    if (expected) expect(result.placed[0]?.text).toBe('Text.');
  });

  it('remembers earlier matches for entries with match decorators', () => {
    const lore = book([
      entry({ id: 'keep', keys: ['key'], content: '@@keep_activate_after_match\nKeep.' }),
      entry({ id: 'once', keys: ['key'], content: '@@dont_activate_after_match\nOnce.' }),
    ]);
    const first = activateLore(lore, scene(['key']));
    expect(first.placed.map((activeLore) => activeLore.id)).toEqual(['keep', 'once']);
    expect(ids(lore, scene(['other'], { state: first.state }))).toEqual(['keep']);
    expect(ids(lore, scene(['key'], { state: first.state }))).toEqual(['keep']);
    expect(ids(lore, scene(['other']))).toEqual([]);
  });
});

describe('lore timer', () => {
  /** Which of ten moments, from the first message to the tenth, an entry is active at, with its key said only in some messages. */
  function course(extensions: Record<string, Json>, statements: readonly number[]): string {
    const lore = book([tavern({ id: 'x', keys: ['key'] }, extensions)], { scan_depth: 1 });
    let state: LoreState | undefined;
    let line = '';
    for (let length = 1; length <= 10; length++) {
      const result = activateLore(
        lore,
        scene([statements.includes(length) ? 'key' : '…'], { length, ...(state === undefined ? {} : { state }) }),
      );
      state = freeze(result.state);
      line += result.placed.length === 1 ? 'x' : '.';
    }
    return line;
  }

  it.each<[string, Record<string, Json>, readonly number[], string]>([
    ['does nothing without a timer', {}, [2, 5], '.x..x.....'],
    ['stays active for three messages if sticky', { sticky: 3 }, [2], '.xxx......'],
    ['pauses for three messages on cooldown', { cooldown: 3 }, [2, 3, 4, 5], '.x..x.....'],
    ['applies cooldown after sticky', { sticky: 2, cooldown: 3 }, [2, 3, 4, 5, 6, 7], '.xx...xx..'],
    ['delays until the fourth message', { delay: 4 }, [2, 3, 4], '...x......'],
    ['applies sticky before delay', { sticky: 9, delay: 3 }, [3], '..xxxxxxxx'],
  ])('%s', (_, extensions, statements, expected) => {
    expect(course(extensions, statements)).toBe(expected);
  });

  it('is reset when the message that started it is removed', () => {
    const lore = book([tavern({ id: 'x', keys: ['key'] }, { sticky: 5 })], { scan_depth: 1 });
    const { state } = activateLore(lore, scene(['key'], { length: 4 }));
    expect(ids(lore, scene(['other'], { length: 4, state }))).toEqual([]);
    expect(ids(lore, scene(['other'], { length: 5, state }))).toEqual(['x']);
  });
});

describe('lore step 4: draw', () => {
  const lore = book([tavern({ id: 'x', constant: true }, { probability: 30 })]);
  const times = (seed: number, scenes = 's') =>
    Array.from({ length: 2000 }, (_, turn) => ids(lore, scene([], { turn, seed, scene: scenes })).length);

  it('is deterministic by seed, scene, turn, and entry', () => {
    expect(times(1)).toEqual(times(1));
    expect(times(1)).not.toEqual(times(2));
    expect(times(1)).not.toEqual(times(1, 't'));
  });

  it('activates an entry at its probability', () => {
    const hits = times(1).reduce((sum, value) => sum + value, 0);
    // Four standard deviations of a binomial with n = 2000 and p = 0.3.
    expect(Math.abs(hits - 600)).toBeLessThan(4 * Math.sqrt(2000 * 0.3 * 0.7));
  });

  it('skips the draw for certain, disabled, and sticky entries', () => {
    expect(ids(book([tavern({ id: 'x', constant: true }, { probability: 0, useProbability: false })]), scene([]))).toEqual(['x']);
    expect(ids(book([tavern({ id: 'x', constant: true }, { probability: 0 })]), scene([]))).toEqual([]);
    const sticky = book([tavern({ id: 'x', keys: ['key'] }, { probability: 0, sticky: 5 })]);
    expect(
      ids(sticky, scene([''], { length: 2, state: { matched: [], frozen: [], cooldown: {}, sticky: { x: { from: 1, until: 9 } } } })),
    ).toEqual(['x']);
  });

  it('lets one entry per group in: by weight, by override, or none if one is already in', () => {
    const pair = (a: Record<string, Json>, b: Record<string, Json>) =>
      book([
        tavern({ id: 'a', constant: true, insertion_order: 1 }, { group: 'g', ...a }),
        tavern({ id: 'b', constant: true, insertion_order: 2 }, { group: 'g', ...b }),
      ]);
    const samples = Array.from({ length: 400 }, (_, turn) =>
      ids(pair({ group_weight: 300 }, { group_weight: 100 }), scene([], { turn })).join(),
    );
    expect(new Set(samples)).toEqual(new Set(['a', 'b']));
    expect(Math.abs(samples.filter((item) => item === 'a').length - 300)).toBeLessThan(4 * Math.sqrt(400 * 0.75 * 0.25));
    expect(ids(pair({ group_override: true }, { group_override: true }), scene([]))).toEqual(['b']);
  });
});

describe('lore step 5: recurse', () => {
  const chain = (extensions: Record<string, Record<string, Json>> = {}, rest: Partial<Lorebook> = { recursive_scanning: true }) =>
    book(
      [
        tavern({ id: 'a', keys: ['alpha'], content: 'Leads to beta.' }, extensions['a'] ?? {}),
        tavern({ id: 'b', keys: ['beta'], content: 'Leads to gamma.' }, extensions['b'] ?? {}),
        tavern({ id: 'c', keys: ['gamma'], content: 'The end.' }, extensions['c'] ?? {}),
      ],
      rest,
    );

  it.each<[string, Lorebook, string, string]>([
    ['follows content to the end', chain(), 'alpha', 'abc'],
    ['recurses only if the book allows it', chain({}, {}), 'alpha', 'a'],
    ['does not recurse from an entry that prevents it', chain({ b: { prevent_recursion: true } }), 'alpha', 'ab'],
    ['does not recurse into an entry that excludes itself', chain({ b: { exclude_recursion: true } }), 'alpha', 'a'],
    ['lets messages activate an entry excluded from recursion', chain({ b: { exclude_recursion: true } }), 'beta', 'bc'],
    ['does not activate a delayed entry without recursion', chain({ b: { delay_until_recursion: true } }, {}), 'beta', ''],
    ['activates a delayed entry by recursion', chain({ b: { delay_until_recursion: true } }), 'beta', 'bc'],
    [
      'activates delayed entries level by level',
      chain({ b: { delay_until_recursion: 1 }, c: { delay_until_recursion: 2 } }),
      'alpha',
      'abc',
    ],
  ])('%s', (_, lore, text, expected) => {
    expect(ids(lore, scene([text])).join('')).toBe(expected);
  });

  it('reports the reason for each entry', () => {
    const { placed } = activateLore(chain(), scene(['alpha']));
    expect(placed.map(({ reason, key }) => [reason, key])).toEqual([
      ['key', 'alpha'],
      ['recursion', 'beta'],
      ['recursion', 'gamma'],
    ]);
  });

  it('reads hidden keys in content but not comments', () => {
    const lore = book(
      [entry({ id: 'a', keys: ['start'], content: 'x {{hidden_key:bee}} {{// cee}}' }), entry({ id: 'bee' }), entry({ id: 'cee' })],
      { recursive_scanning: true },
    );
    expect(ids(lore, scene(['start']))).toEqual(['a', 'bee']);
  });

  it('terminates when entries trigger each other', () => {
    const lore = book([entry({ id: 'a', keys: ['bee'], content: 'aye' }), entry({ id: 'b', keys: ['aye'], content: 'bee' })], {
      recursive_scanning: true,
    });
    expect(ids(lore, scene(['bee']))).toEqual(['a', 'b']);
  });
});

describe('lore step 6: budget', () => {
  const ten = { content: 'x'.repeat(40) };
  const entries = ['a', 'b', 'c', 'd'].map((id, i) => entry({ id, constant: true, insertion_order: i, content: `${id}${'x'.repeat(39)}` }));
  it('fills from the highest order and stops at the first entry that does not fit', () => {
    const result = activateLore(book(entries, { token_budget: 25 }), scene([]));
    expect(result.placed.map((activeLore) => activeLore.id)).toEqual(['c', 'd']);
    expect(result.dropped).toEqual(['b', 'a']);
    const large = [entry({ id: 'big', constant: true, insertion_order: 9, content: 'y'.repeat(400) }), ...entries];
    expect(activateLore(book(large, { token_budget: 25 }), scene([])).placed).toEqual([]);
  });

  it('uses priorities if present and the given token counter', () => {
    const first = [{ ...entries[0]!, priority: 99 }, ...entries.slice(1)];
    expect(ids(book(first, { token_budget: 20 }), scene([]))).toEqual(['a', 'd']);
    expect(ids(book(entries, { token_budget: 3 }), scene([], { tokens: () => 1 }))).toEqual(['b', 'c', 'd']);
  });

  it('defaults to a quarter of the context, up to the cap', () => {
    expect(ids(book(entries), scene([]))).toHaveLength(4);
    expect(ids(book(entries), scene([], { context: 120 }))).toEqual(['b', 'c', 'd']);
    expect(ids(book(entries, { token_budget: 100 }), scene([], { cap: 10 }))).toEqual(['d']);
  });

  it('drops ignorable entries first and always keeps entries outside the budget', () => {
    const lore = book(
      [
        entry({ id: 'late', constant: true, insertion_order: 50, content: `@@ignore_on_max_context\n${'z'.repeat(40)}` }),
        ...entries,
        entry({ id: 'free', constant: true, insertion_order: -9, ...ten, extensions: { ignore_budget: true } }),
      ],
      { token_budget: 20 },
    );
    expect(ids(lore, scene([]))).toEqual(['free', 'c', 'd']);
  });

  it('counts identical content once', () => {
    const twins = [
      entry({ id: 'a', constant: true, content: 'same' }),
      entry({ id: 'b', constant: true, content: 'same', insertion_order: 200 }),
    ];
    expect(ids(book(twins), scene([]))).toEqual(['b']);
  });
});

describe('lore step 7: place', () => {
  it('puts lower orders first within each place', () => {
    const lore = book([
      entry({ id: 'after2', constant: true, insertion_order: 2 }),
      entry({ id: 'before', constant: true, position: 'before_char', insertion_order: 9 }),
      entry({ id: 'after1', constant: true, insertion_order: 1, position: 'after_char' }),
      tavern({ id: 'deep', constant: true }, { position: 4, depth: 6, role: 2 }),
      tavern({ id: 'usual', constant: true }, { position: 4 }),
      tavern({ id: 'note', constant: true }, { position: 2 }),
      tavern({ id: 'example', constant: true }, { position: 5 }),
      entry({ id: 'decorated', constant: true, content: '@@depth 2\n@@role user\nText' }),
      entry({ id: 'placed', constant: true, content: '@@depth 2\n@@position before_desc\nText 2' }),
      entry({ id: 'reverse', constant: true, content: '@@reverse_depth 1\nText 3' }),
      entry({ id: 'scenic', constant: true, content: '@@position scenario\nText 4' }),
    ]);
    expect(activateLore(lore, scene([], { length: 10 })).placed.map(({ id, place, depth, role }) => [id, place, depth, role])).toEqual([
      ['before', 'before', 0, 'system'],
      ['placed', 'before', 0, 'system'],
      ['scenic', 'scenario', 0, 'system'],
      ['after1', 'after', 0, 'system'],
      ['after2', 'after', 0, 'system'],
      ['example', 'examples_top', 0, 'system'],
      ['note', 'note_top', 0, 'system'],
      ['reverse', 'depth', 9, 'system'],
      ['deep', 'depth', 6, 'assistant'],
      ['usual', 'depth', 4, 'system'],
      ['decorated', 'depth', 2, 'user'],
    ]);
  });
});

describe('frozen lore', () => {
  const lore = book(
    [
      entry({ id: 'steady', constant: true, insertion_order: 1 }),
      entry({ id: 'owl' }),
      entry({ id: 'bat' }),
      tavern({ id: 'sometimes', constant: true }, { probability: 99 }),
    ],
    { scan_depth: 1, token_budget: 1000 },
  );

  it('keeps the start of a prompt stable and appends each entry once', () => {
    let state: LoreState | undefined;
    const appended: string[][] = [];
    const beginnings = new Set<string>();
    for (const [turn, text] of ['hello', 'an owl', 'an owl and a bat', 'an owl'].entries()) {
      const result = activateLore(lore, scene([text], { turn, freeze: true, ...(state === undefined ? {} : { state }) }));
      state = freeze(result.state);
      appended.push(result.append.map((activeLore) => activeLore.id));
      beginnings.add(JSON.stringify(result.placed));
    }
    expect(appended).toEqual([['sometimes'], ['owl'], ['bat'], []]);
    expect(beginnings.size).toBe(1);
    expect([...beginnings][0]).toContain('steady');
  });

  it('appends an entry again once it fell out of the history', () => {
    const first = activateLore(lore, scene(['an owl'], { freeze: true }));
    expect(
      activateLore(lore, scene(['an owl'], { freeze: true, state: { ...first.state, frozen: [] } })).append.map(
        (activeLore) => activeLore.id,
      ),
    ).toContain('owl');
  });

  it('puts constant entries in the static part of the prompt', () => {
    expect(steadyLore(lore).map((activeLore) => activeLore.id)).toEqual(['steady']);
  });

  it('keeps constant entries when others would use up the budget', () => {
    const tight = book(
      [
        entry({ id: 'steady', constant: true, insertion_order: 1, content: 'x'.repeat(40) }),
        entry({ id: 'owl', content: 'y'.repeat(40), insertion_order: 99 }),
      ],
      { token_budget: 10 },
    );
    expect(ids(tight, scene(['owl']))).toEqual(['owl']);
    expect(ids(tight, scene(['owl'], { freeze: true }))).toEqual(['steady']);
  });
});

describe('untrusted large lorebook', () => {
  it('with ten thousand entries is scanned', () => {
    const entries = Array.from({ length: 10_000 }, (_, i) =>
      entry({ id: `e${i}`, keys: [`word${i} `, `other${i}`, `third${i}`], content: `Entry ${i} leads to word${i + 1} .` }),
    );
    const lore = book(entries, { recursive_scanning: true, token_budget: 100 });
    const result = activateLore(lore, scene([`${'talk '.repeat(200)} word5 `, 'and other77']));
    expect(result.placed.length).toBeGreaterThan(3);
    expect(result.dropped.length).toBeGreaterThan(10);
  });

  it('with catastrophic patterns does not hang', () => {
    const entries = Array.from({ length: 500 }, (_, i) => tavern({ id: `e${i}`, keys: [`/(a|a)*(a|aa)*b${i}$/`] }));
    const result = activateLore(book(entries), scene(['a'.repeat(20_000)]));
    expect(result).toMatchObject({ placed: [], exhausted: true });
  });
});

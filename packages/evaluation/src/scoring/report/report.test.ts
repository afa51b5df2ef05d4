import type { EpisodeEvent, EpisodeRecord, Score } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import { rowsOf, type ScoreRow } from '../evaluation/index.ts';
import { markdownOf, pageOf, type ReportInput, reportOf, withWords } from './index.ts';
import { momentsOf } from './moments.ts';
import { axisFor } from './plots.ts';
import { escapeHtml, figure, plain } from './wording.ts';

const hostile = `<script>alert(1)</script><img src=x onerror="alert(2)">'"&\u202e\u001b[2J</pre></details><svg onload=alert(3)>`;
const free = { calls: 0, promptTokens: 0, completionTokens: 0, money: 0 };

/** Thirty episodes of two agents in two scenes; every text that an episode can bring along is hostile if asked for. */
function input(text = ''): ReportInput {
  const records = new Map<string, EpisodeRecord>();
  const scores = new Map<string, readonly Score[]>();
  const rows: ScoreRow[] = [];
  for (const agent of [`good${text}`, `idle${text}`])
    for (let i = 0; i < 15; i++) {
      const id = `${agent}-${i}${text}`;
      const value = agent.startsWith('good') ? 0.5 + (i % 5) / 10 : (i % 3) / 10;
      const record: EpisodeRecord = {
        ...{ id, run: 'r', environment: `duel${text}@1`, task: { note: text }, seed: i, status: 'over', events: 3, turns: 1, order: i },
        cast: { [`seat${text}`]: agent },
        returns: { [`seat${text}`]: value },
      };
      const evidence = [{ episode: id, event: 1, quote: `I said ${text}`, supports: value >= 0.9, note: `because ${text}` }];
      const inputScores: Score[] = [
        { name: `form${text}`, value: 1, status: 'ok', seat: `seat${text}`, scale: [0, 1], evidence, cost: free },
        { name: 'open', value: null, status: 'undecided', seat: `seat${text}`, scale: [0, 1], evidence: [], cost: free },
      ];
      records.set(id, record);
      scores.set(id, inputScores);
      rows.push(...rowsOf({ record, scores: inputScores, score: 'return', scene: `scene ${i % 2}${text}` }));
    }
  return { run: `run${text}`, about: `About ${text}`, score: 'return', rows, records, scores, nulls: [`idle${text}`], k: [1] };
}

const log: readonly EpisodeEvent[] = [
  { kind: 'action', seat: 'seat', action: { text: 'I would like to stay a little longer.' } },
  { kind: 'message', to: [], text: 'outcome', data: {} },
  { kind: 'action', seat: 'seat', action: { text: '[bye]' } },
  { kind: 'action', seat: 'other', action: { text: 'Somebody else says something long.' } },
];

describe('reportOf', () => {
  const report = reportOf(input());

  it('aggregates rows into standings, verdicts, other scores, and moments', () => {
    expect(report).toMatchObject({ episodes: 30, points: true, scenes: ['scene 0', 'scene 1'], ends: { over: 30 } });
    expect(report.standings).toMatchObject({ floorAgent: 'idle' });
    expect(report.comparisons).toMatchObject([{ a: 'good', b: 'idle', better: 'good', n: 15 }]);
    expect(report.lines.map(({ name }) => name)).toEqual(['form']);
    expect(report.lines[0]?.agents['good']).toMatchObject({ value: 1, values: 15, missing: 0 });
  });

  it('gives secondary scores the same means and intervals as a deciding score', () => {
    const plain = input();
    // Each task three times; one agent never varies, one leaves the unit range, and has no value in one scene.
    const scores = new Map(
      [...plain.records].map(([id, { seed }]): [string, readonly Score[]] => {
        const i = Number(seed);
        const value = id.startsWith('good') ? 1 : i % 2 === 0 ? 2 * (i % 4) : null;
        const score: Score = {
          name: 'depth',
          value,
          status: value === null ? 'error' : 'ok',
          seat: 'seat',
          scale: [0, 10],
          evidence: [],
          cost: free,
        };
        return [id, [score]];
      }),
    );
    const rows = plain.rows.map((row) => ({ ...row, task: `${row.scene} ${Number(row.seed) % 5}` }));
    const decided = rows.map((row) => {
      const [score] = scores.get(row.episode)!;
      return { ...row, value: score!.value, status: score!.status };
    });
    const other = reportOf({ ...plain, rows, scores });
    const deciding = reportOf({ ...plain, score: 'depth', rows: decided, scores });
    for (const { agent, value, interval, tasks, episodes, values, missing } of deciding.standings.agents)
      expect(other.lines[0]?.agents[agent]).toEqual({ value, interval, tasks, episodes, values, missing });
    const figures = reportOf({ ...input(), nulls: [] });
    const { value, interval } = figures.lines[0]!.agents['good']!;
    const [low, high] = interval!.map((end) => (100 * end).toFixed(1));
    expect(markdownOf(figures)).toContain(`| form | ${(100 * value!).toFixed(1)} (${low} to ${high})`);
    expect(pageOf(figures)).toContain(`<small>${low} to ${high}</small>`);
  });

  it('averages risk axes over tasks', () => {
    const judged = input();
    const rows = judged.rows.map((row) => ({ ...row, task: `${Number(row.seed) < 12}` }));
    const score = (name: string, value: number, scale: readonly [number, number], more = {}): Score => ({
      ...{ name: `judge/harm/${name}`, value, status: 'ok', seat: 'seat', scale, evidence: [], cost: free, ...more },
    });
    const scores = new Map(
      [...judged.records].map(([id, { seed }]): [string, readonly Score[]] => [
        id,
        [score('money', Number(seed) < 12 ? -4 : 0, [-10, 0]), score('risky', 0, [0, 1], { lowerIsBetter: true })],
      ]),
    );
    // Scene by scene, a task that was played more often counts as much as another.
    expect(reportOf({ ...judged, rows, scores }).risks[0]?.rows[0]?.axes[0]?.mean).toBe(-2);
  });

  it('reports the axes of a verdict rubric separately, by the intent of the user', () => {
    const judged = input();
    const axis = (name: string, value: number, scale: readonly [number, number], lowerIsBetter = false): Score => ({
      ...{ name: `judge/harm${name}`, value, status: 'ok', seat: 'seat', scale, evidence: [], cost: free },
      ...(lowerIsBetter ? { lowerIsBetter } : {}),
    });
    // "good" transfers money for malicious users only; no agent harms with words.
    const ids = [...judged.records.keys()];
    const intents = new Map(ids.flatMap((id, i) => (i % 3 === 0 ? [] : [[id, i % 3 === 1 ? 'malicious' : 'benign'] as const])));
    const scores = new Map(
      ids.map((id): [string, Score[]] => {
        const isRisky = id.startsWith('good') && intents.get(id) === 'malicious';
        const money = axis('/money', isRisky ? -4 : 0, [-10, 0]);
        const others = [axis('', isRisky ? -1 : 0, [-10, 10]), axis('/words', 0, [-10, 0]), axis('/service', 5, [0, 10])];
        return [id, [...others, money, axis('/risky', isRisky ? 1 : 0, [0, 1], true)]];
      }),
    );
    const report = reportOf({ ...judged, scores, intents });
    const [risks] = report.risks;
    expect(risks).toMatchObject({ name: 'judge/harm', verdict: 'risky', axes: ['words', 'service', 'money'], unstated: 10 });
    const row = (agent: string, intent: string) => risks?.rows.find((other) => other.agent === agent && other.intent === intent);
    expect(row('good', 'malicious')).toMatchObject({
      any: { hits: 5, n: 5 },
      axes: [
        { axis: 'words', mean: 0, risky: { hits: 0, n: 5 } },
        { axis: 'service', mean: 5, risky: null },
        { axis: 'money', mean: -4, risky: { hits: 5, n: 5 } },
      ],
    });
    expect(row('good', 'benign')?.any).toMatchObject({ hits: 0, n: 5 });
    expect(row('good', 'all')?.any).toMatchObject({ hits: 5, n: 15 });
    expect(row('idle', 'malicious')?.any).toMatchObject({ hits: 0, n: 5 });
    // The mean over axes is not shown.
    expect(report.lines.filter(({ name }) => name.startsWith('judge/harm'))).toEqual([]);
    expect(markdownOf(report)).toContain('| good | malicious | 5 of 5');
    expect(pageOf(report)).toContain('<td>malicious</td><td>5 of 5');
    // Without stated intents, the table says so.
    expect(reportOf({ ...judged, scores }).risks[0]?.rows.map(({ intent }) => intent)).toEqual(['all', 'all']);
  });

  it('quotes the worst and best episodes of real agents, from different scenes first', () => {
    const worst = report.moments.filter(({ kind }) => kind === 'worst');
    const best = report.moments.filter(({ kind }) => kind === 'best');
    expect(report.moments.every(({ agent }) => agent === 'good')).toBe(true);
    expect(worst[0]).toMatchObject({ value: 0.5, quote: { text: 'I said ', note: expect.stringContaining('form: because') as string } });
    expect(Math.min(...best.map(({ value }) => value))).toBeGreaterThan(Math.min(...worst.map(({ value }) => value)));
    expect(new Set(worst.slice(0, 2).map(({ scene }) => scene)).size).toBe(2);
    expect(best[0]).toMatchObject({ value: 0.9, quote: { text: 'I said ' } });
  });

  it('calls no episode the worst if all are equally good', () => {
    const row = (agent: string, i: number, value: number) => ({ ...input().rows[0]!, agent, episode: `${agent}${i}`, value });
    const rows = [1, 2, 3].flatMap((i) => [row('perfect', i, 1), row('mixed', i, i === 1 ? 1 : 0)]);
    const moments = momentsOf(rows, new Map(), { agents: ['perfect', 'mixed'] });
    expect(moments.filter(({ kind }) => kind === 'worst').map(({ agent, value }) => [agent, value])).toEqual([
      ['mixed', 0],
      ['mixed', 0],
    ]);
    expect(moments.filter(({ kind, agent }) => kind === 'best' && agent === 'perfect')).toHaveLength(3);
  });

  it('compares only agents with a common seat and scene, and still reports the rest', () => {
    const row = (agent: string, scene: string, seat: string, i: number) => ({
      ...{ ...input().rows[0]!, agent, scene, seat, seed: i, episode: `${scene}${i}`, value: seat === 'customer' ? 0 : i % 2 },
    });
    const rows = [1, 2, 3, 4].flatMap((i) => [
      row('bot', 'desk', 'clerk', i),
      row('ann', 'desk', 'customer', i),
      row('other bot', 'desk', 'clerk', i + 4),
      row('player', 'poker', 'first', i),
    ]);
    const report = reportOf({ ...input(), nulls: [], rows });
    expect(report.comparisons.map(({ a, b }) => [a, b].sort())).toEqual([['bot', 'other bot']]);
    expect(report.standings.agents).toHaveLength(4);
    expect(new Set(report.moments.map(({ agent }) => agent))).toEqual(new Set(['bot', 'other bot', 'player']));
  });

  it('uses the last meaningful words if no speech is quoted', () => {
    const bare = { ...report.moments[0]!, seat: 'seat', quote: null };
    expect(withWords(bare, log).quote).toEqual({ event: 0, text: 'I would like to stay a little longer.', note: 'its last words' });
    const note = { ...bare, quote: { event: 1, text: 'outcome', note: 'service' } };
    expect(withWords(note, log).quote).toMatchObject({ event: 0, note: 'service' });
    const statement = { ...bare, quote: { event: 2, text: '[bye]', note: 'x' } };
    expect(withWords(statement, log)).toBe(statement);
    expect(withWords({ ...bare, seat: 'nobody' }, log).quote).toBeNull();
  });
});

describe('the HTML page', () => {
  const report = reportOf(input());
  const transcripts = new Map(report.moments.map(({ episode }) => [episode, `log of ${episode}`]));
  const page = pageOf(report, transcripts);

  it('is self-contained: no scripts or links, a policy that forbids them, light and dark mode', () => {
    expect(page).toContain(`content="default-src 'none'; style-src 'unsafe-inline'"`);
    expect(page).not.toMatch(/<script|<link|<iframe|\bon\w+=|https?:|url\(|@import/i);
    expect(page).toContain('prefers-color-scheme:dark');
    expect(page).toContain('<html lang="en">');
  });

  it('has a row for every episode and only working links', () => {
    const ids = [...page.matchAll(/ id="([^"]+)"/g)].map((match) => match[1]!);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.filter((id) => id.startsWith('e-'))).toHaveLength(30);
    const targets = [...page.matchAll(/href="#([^"]+)"/g)].map((match) => match[1]!);
    expect(targets.length).toBeGreaterThan(30);
    expect(targets.filter((target) => !ids.includes(target))).toEqual([]);
    for (const { episode } of report.moments) expect(page).toContain(`log of ${episode}`);
  });

  it('shows at most a thousand rows per scene, those without a result first, and says so', () => {
    const whole = reportOf(input());
    const [row] = whole.rows;
    const rows = Array.from({ length: 1500 }, (_, i) => ({ ...row!, episode: `many-${i}`, value: i === 1400 ? null : i }));
    const page = pageOf({ ...whole, rows });
    const listed = [...page.matchAll(/<tr id="e-(many-\d+)/g)].map((match) => match[1]);
    expect([listed.length, ...listed.slice(0, 3)]).toEqual([1000, 'many-1400', 'many-0', 'many-1']);
    expect(page).toContain('1,000 of 1,500 lines');
    expect(page).toContain('--format json');
    expect(pageOf(whole)).not.toContain('--format json');
  });

  it('shows numbers with floors and intervals, and plots with text for screen readers', () => {
    expect(page).toContain('the floor');
    expect(page).toContain('does not try');
    expect(page).toMatch(/<svg[^>]* role="img" aria-label="Mean return of each agent with its 95% interval">/);
    expect(page).toContain('good is better than idle by');
  });

  it('escapes everything from an episode', () => {
    const evil = reportOf(input(hostile));
    const visiblePage = pageOf(evil, new Map(evil.moments.map(({ episode }) => [episode, hostile])));
    expect(visiblePage).not.toMatch(/<script|<img|<svg onload|\u202e/i);
    expect(visiblePage).not.toContain('\u001b');
    expect(visiblePage).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
    const tags = (page_: string) => [...page_.matchAll(/<[a-z!/][^>]*>/gi)].map((match) => match[0]!.split(/[\s>]/)[0]);
    // Whatever the texts are, the tags are ours: the same as with harmless texts, in the same order.
    expect(tags(visiblePage)).toEqual(tags(page));
    for (const id of visiblePage.matchAll(/ id="([^"]*)"/g)) expect(id[1]).toMatch(/^[\w-]+$/);
  });

  it('reports a run without any values', () => {
    const { rows, ...rest } = input();
    const empty = pageOf(reportOf({ ...rest, rows: rows.map((row) => ({ ...row, value: null, status: 'error' as const })) }));
    expect(empty).toContain('30</b>scores missing');
    expect(pageOf(reportOf({ ...rest, rows: [], records: new Map(), scores: new Map() }))).toContain('<b>0</b>episodes');
  });
});

describe('the Markdown report', () => {
  it('has the same numbers, with all text escaped', () => {
    const report = reportOf(input());
    const text = markdownOf(report);
    expect(text).toMatch(/\| good \| \d/);
    expect(text).toContain('| idle (does not try) |');
    const evil = markdownOf(reportOf(input(`${hostile}|a\n# b`)));
    expect(evil).not.toMatch(/<script|<img/);
    expect(evil).not.toContain('\u001b');
    expect(evil.split('\n').filter((line) => line.startsWith('# '))).toHaveLength(1);
    const lines = (all: string) => all.split('\n').filter((line) => line.startsWith('|'));
    const bars = (all: string) => lines(all).map((line) => line.replace(/\\\|/g, '').split('|').length);
    expect(bars(evil)).toEqual(bars(text));
  });
});

describe('formatting and plots', () => {
  it('format numbers for readers', () => {
    expect([figure(0.1234, true), figure(-0.00001, true), figure(-0.5, true), figure(null, true), figure(1234.5, false)]).toEqual([
      '12.3',
      '0.0',
      '−50.0',
      '–',
      '1230',
    ]);
    expect(escapeHtml(`<a href="x">'&'</a>`)).toBe('&lt;a href=&quot;x&quot;&gt;&#39;&amp;&#39;&lt;/a&gt;');
    expect(plain('a|b *c* <d>')).toBe('a\\|b \\*c\\* &lt;d&gt;');
  });

  it('end axes on round numbers that span every value', () => {
    for (const values of [
      [-2, 2],
      [0.01, 0.013],
      [5, 5],
      [0, 0],
      [-1300, 17],
    ]) {
      const { from, to } = axisFor(values, false);
      expect(from).toBeLessThanOrEqual(Math.min(...values));
      expect(to).toBeGreaterThanOrEqual(Math.max(...values));
      expect(to).toBeGreaterThan(from);
    }
    expect(axisFor([0.4], true)).toMatchObject({ from: 0, to: 1 });
  });
});

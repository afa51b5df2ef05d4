/** @file Imported conversations become cases: those that failed, without personal data, each once; a bot plays them. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { redactTranscript } from '@ludus-agents/evaluation/internal/conversations/redact';
import { describe, expect, it } from 'vitest';
import { folder, ludus } from '../../src/cli/terminal.cases.ts';

const trace = (session: string, at: number, input: unknown, output: string, more: object = {}) => ({
  ...{ id: `${session}-${at}`, timestamp: `2026-01-01T00:0${at}:00Z`, sessionId: session, input, output },
  ...more,
});
const score = (value: number | boolean) => ({ scores: [{ name: 'helpful', value, source: 'ANNOTATION', comment: 'x' }] });

describe('ludus desk tasks from an imported run', () => {
  it('writes failed conversations with personal data removed', async () => {
    const cwd = folder();
    const opening = [
      { role: 'system', content: 'Refund late orders.' },
      { role: 'user', content: 'I am Ann Archer, ann@lilac.example. My order is late.' },
    ];
    writeFileSync(
      join(cwd, 'traces.json'),
      JSON.stringify([
        trace('bad', 1, opening, 'No.', score(0)),
        trace('bad', 2, [{ role: 'user', content: 'Please!' }], 'No.'),
        trace('good', 1, [{ role: 'user', content: 'Hello?' }], 'Hi.', score(true)),
        trace('broken', 1, [{ role: 'user', content: 'Are you there?' }], '', {
          observations: [{ level: 'ERROR', statusMessage: 'timeout' }],
        }),
        trace('unknown', 1, [{ role: 'user', content: 'Thanks.' }], 'Bye.'),
      ]),
    );
    const { run } = JSON.parse((await ludus(cwd, ['data', 'import', 'traces.json', '--json'])).out) as { run: string };
    // The usual scores, such as a return of 0, do not say that a conversation failed.
    expect((await ludus(cwd, ['score', run, '--again'])).code).toBe(0);
    const outcome = await ludus(cwd, ['desk', 'tasks', 'from', run, '--failed', '--redact', 'Ann Archer', '-o', 'tasks.json', '--json']);
    expect([outcome.code, JSON.parse(outcome.out)]).toMatchObject([0, { tasks: 2, redacted: 2, unjudged: 1 }]);
    const { out } = await ludus(cwd, ['desk', 'tasks', 'from', run, '--failed', '--redact', 'Ann Archer']);
    expect(out).not.toMatch(/lilac|Archer|Hello\?|Thanks/);
    const { scenes } = JSON.parse(out) as { scenes: { tasks: { case: { says: { say: string }[] }; desk: { policy: string } }[] }[] };
    expect(scenes.map(({ tasks }) => tasks.length)).toEqual([1, 1]);
    const bad = scenes.flatMap(({ tasks }) => tasks).find(({ case: item }) => item.says.length === 2)!;
    expect(bad.case.says.map(({ say }) => say)).toEqual(['I am [name 1], [email 1]. My order is late.', 'Please!']);
    expect(bad.desk.policy).toBe('Refund late orders.');
    const played = await ludus(cwd, ['eval', 'tasks.json', '--agents', 'scripted:do-nothing', '--json']);
    expect(played.code).toBe(0);
  });
});

describe('redactTranscript', () => {
  const lineOf = (text: string) => {
    const lines = [{ kind: 'said' as const, seat: 'user', to: [], text }];
    const { transcript } = redactTranscript({ seats: ['user'], cast: {}, task: {}, trial: 0, lines });
    return transcript.lines[0]?.text;
  };

  it.each(['+49 151 2345678', '+1 (415) 555-0132', '0451-220983', '(0800) 123 456', '01711234567', '415-555-0132'])(
    'replaces the phone number %s',
    (number) => expect(lineOf(`Call ${number}, or write. I have ${number}.`)).toBe('Call [phone 1], or write. I have [phone 1].'),
  );

  it.each(['order 4711', 'on 2025-01-15', 'on 01/02/2025', '1,234.50 euros', 'B-1001 and W-20417', 'a ratio of 0.125', 'parcel 90210-4'])(
    'keeps %s',
    (words) => expect(lineOf(`It is ${words} now, ${words}.`)).toBe(`It is ${words} now, ${words}.`),
  );
});

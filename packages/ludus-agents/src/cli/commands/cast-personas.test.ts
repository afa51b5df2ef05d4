/** @file Any cast can be judged: personas of plans, scenes, chats and imports reach the scorers by their hashes. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gallery } from '@ludus-agents/agents/internal/personas/index';
import type { EpisodeEvent, StartEvent } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import { folder, ludus } from '../terminal.cases.ts';

const here = folder();

function write(name: string, content: unknown): void {
  writeFileSync(join(here, name), typeof content === 'string' ? content : JSON.stringify(content));
}

async function read(words: readonly string[], typed?: string) {
  const { code, out, err } = await ludus(here, [...words, '--json'], typed === undefined ? {} : { typed });
  return { code, err, json: out === '' ? null : JSON.parse(out) };
}

async function logOf(episode: string): Promise<readonly EpisodeEvent[]> {
  return (await read(['show', episode])).json.log;
}

async function startsOf(run: string): Promise<readonly StartEvent[]> {
  const rows = (await read(['list', 'episodes', '--run', run])).json as { id: string; run: string }[];
  const ownRows = rows.filter((row) => row.run === run);
  return Promise.all(ownRows.map(async ({ id }) => (await logOf(id))[0] as StartEvent));
}

const talk = (persona: unknown) => ({
  environments: [{ environment: 'chat', tasks: [{ turns: 2 }] }],
  casts: [{ character: { name: 'Vole', kind: 'scripted:character', persona }, user: 'scripted:user' }],
});

describe('personas of a cast', () => {
  it('reach a judge from a plan that names one from the gallery', async () => {
    write('plan.json', { name: 'judged', ...talk('villain') });
    expect((await read(['run', 'plan.json', '--yes'])).code).toBe(0);
    const [start] = await startsOf('judged');
    expect(start?.personas).toEqual({ character: gallery['villain']?.hash });
    const scored = await read(['score', 'judged', '--rubric', 'coser', '--judge', 'fake:honest']);
    expect(scored.code).toBe(0);
    expect(scored.json.judges[0].replies).toBeGreaterThan(0);
    expect(scored.json.failures).toEqual([]);
  });

  it('come from a file, a document, or a population, and unknown ones are rejected', async () => {
    write('ada.json', { name: 'Ada', statements: ['Ada keeps bees.'] });
    for (const [i, persona] of ['./ada.json', { name: 'Ada', statements: ['Ada keeps bees.'] }].entries()) {
      write('plan.json', { name: `ada-${i}`, ...talk(persona) });
      expect((await read(['run', 'plan.json', '--yes'])).code).toBe(0);
    }
    const [[startEvent], [other]] = await Promise.all([startsOf('ada-0'), startsOf('ada-1')]);
    expect(startEvent?.personas).toEqual(other?.personas);
    for (const [name, persona] of [
      ['draw', { of: 'customers', number: 3 }],
      ['named', 'customers'],
    ] as const) {
      write('plan.json', { name, ...talk(persona) });
      expect((await read(['run', 'plan.json', '--yes'])).code).toBe(0);
      const hashes = new Set((await startsOf(name)).map(({ personas }) => personas?.['character']));
      expect(hashes.size).toBe(name === 'draw' ? 3 : 10);
    }
    write('plan.json', { name: 'nobody', ...talk('vilain') });
    expect((await ludus(here, ['run', 'plan.json', '--yes'])).err).toMatch(/persona on character: .*Unknown persona or file.*villain/);
  });

  it('leave logs without personas unchanged', async () => {
    write('plan.json', { name: 'plain', environments: ['kuhn-poker'] });
    await read(['run', 'plan.json']);
    expect((await startsOf('plain')).map((start) => 'personas' in start)).toEqual([false]);
  });

  it('are stored with a scene, whose run is scored and reported', async () => {
    const ann = {
      id: 'ann',
      name: 'Ann',
      voice: { greetings: ['Hi {{user}}.'], groupGreetings: ['Good evening {{user}}, says {{char}}.'] },
    };
    write('scene.json', { setting: 'A kitchen.', turns: 4, characters: [{ persona: ann }, 'villain'] });
    const played = await read(['play', 'scene', 'scene.json', '--seed', '1']);
    expect(played.json.run).toMatch(/^scene-scene-[0-9a-f]{8}$/);
    expect(played.json.said[0].text).toContain('Good evening Cassian Vole, says Ann.');
    const start = (await logOf(played.json.episode))[0] as StartEvent;
    expect(Object.keys(start.personas ?? {})).toEqual(['ann', 'villain']);
    const scored = await read(['score', played.json.run, '--rubric', 'coser', '--judge', 'fake:honest']);
    expect(scored.json).toMatchObject({ scored: 1, failures: [] });
    expect(scored.json.judges[0].replies).toBeGreaterThan(0);
    expect((await ludus(here, ['report', played.json.run, '--format', 'md'])).out).toContain('Ann (script)');
    // Another seed of the same scene belongs to the same run.
    expect((await read(['play', 'scene', 'scene.json', '--seed', '2'])).json.run).toBe(played.json.run);
  });

  it('are stored with a chat and its forks', async () => {
    const talked = await read(['chat', 'innkeeper', '--model', 'none'], 'Have you a room?\n/fork\nAnd supper?\n/quit\n');
    expect(talked.json.run).toMatch(/^chat-innkeeper-/);
    const starts = await startsOf(talked.json.run);
    expect(starts.map(({ personas }) => personas)).toEqual([1, 2].map(() => ({ character: gallery['innkeeper']?.hash })));
    const scored = await read(['score', talked.json.run, '--scorers', 'apc,secrets,style']);
    expect(scored.json.scores).toBeGreaterThanOrEqual(6);
  });

  it('allow a conversation to be resumed', async () => {
    const first = await read(['chat', 'patient', '--model', 'none'], 'Good morning.\n/quit\n');
    const again = await read(['chat', 'patient', '--model', 'none', '--resume'], 'How do you feel?\n/quit\n');
    const log = await logOf(again.json.episode);
    expect((log[0] as StartEvent).fork).toMatchObject({ episode: first.json.episode });
    const statements = log.flatMap((event) => (event.kind === 'action' && event.seat === 'user' ? [event.action.text] : []));
    expect(statements).toEqual(['Good morning.', 'How do you feel?', '/quit']);
    expect(again.json.run).toBe(first.json.run);
    expect((await ludus(here, ['chat', 'customer', '--model', 'none', '--resume'])).err).toContain(
      'No earlier conversation of the visitor',
    );
    expect((await ludus(here, ['chat', 'customer', '--model', 'none', '--resume', first.json.episode])).err).toContain(
      'not a conversation with this',
    );
  });

  it('can be assigned to imported conversations', async () => {
    const turn = (role: string, content: string) => ({ role, content });
    write(
      'chats.jsonl',
      `${JSON.stringify({ messages: [turn('user', 'Who wrote the letter?'), turn('assistant', 'I would not say so, my friend.')] })}\n`,
    );
    const { json } = await read(['data', 'import', 'chats.jsonl']);
    const words = ['score', json.run, '--rubric', 'coser', '--judge', 'fake:honest'];
    expect((await read(words)).code).not.toBe(0);
    const current = await read([...words, '--persona', 'assistant=villain']);
    expect(current.json.judges[0].replies).toBeGreaterThan(0);
    expect((await ludus(here, [...words, '--persona', 'villain'])).err).toContain('SEAT=PERSONA');
  });
});

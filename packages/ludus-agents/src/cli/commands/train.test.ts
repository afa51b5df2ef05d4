import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hasRuntime } from '@ludus-agents/learning/internal/learners/transformer/index';
import { openStore } from '@ludus-agents/store/internal/open-store';
import { describe, expect, it, vi } from 'vitest';
import { until } from '../../../../../test/fixtures/until.ts';
import { folder, ludus } from '../terminal.cases.ts';

const cwd = folder();
const lastLine = (text: string) => JSON.parse(text.trim().split('\n').at(-1) as string) as Record<string, number>;
const kept = (name: string, at = 'last') =>
  JSON.parse(readFileSync(join(cwd, '.ludus', 'training', name, `${at}.json`), 'utf8')) as {
    checkpoint: { learner: string };
    worth: number;
  };

/** Presses Ctrl-C once a training has kept its first checkpoint. */
const interruptTraining = (name: string) => async (interrupt: () => void) => {
  await until(() => existsSync(join(cwd, '.ludus', 'training', name, 'last.json')));
  interrupt();
};

const winner = (text: string) => (JSON.parse(text) as { agents: { agent: string }[] }).agents[0]?.agent;

describe('ludus train', () => {
  it('ends with one JSON line', async () => {
    const { code, out } = await ludus(cwd, ['train', 'kuhn-tabular', '--seed', '1', '--json']);
    expect(code).toBe(0);
    const match = lastLine(out);
    expect(Object.keys(match)).toEqual(['exploitability', 'legal', 'games', 'seconds', 'invalid', 'tokens', 'acted', 'mechanism']);
    expect(match['exploitability']).toBeLessThan(0.02);
    expect(match['games']).toBeGreaterThanOrEqual(1_000_000);
    const control = await ludus(cwd, ['train', 'kuhn-grpo-std', '--seed', '1', '--json']);
    expect(lastLine(control.out)['exploitability']).toBeGreaterThan(0.08);
  });

  it('asks for confirmation before it calls models, unless --yes was given', async () => {
    const words = ['train', 'kuhn-tabular', '--against', 'llm:fake', '--games', '128', '--name', 'paid'];
    const refused = await ludus(cwd, words, { typed: 'n\n', tty: true });
    expect([refused.code, refused.err]).toEqual([130, expect.stringContaining('Models will be called. Start? [Y/n]')]);
    const agreed = await ludus(cwd, [...words, '--yes'], { tty: true });
    expect([agreed.code, agreed.err.includes('Models will be called')]).toEqual([0, false]);
  });

  it('resumes after Ctrl-C with the same result', async () => {
    const words = ['train', 'kuhn-rae', '--games', '1000000', '--json'];
    const whole = await ludus(cwd, [...words, '--name', 'whole']);
    const stopped = await ludus(cwd, [...words, '--name', 'broken'], { during: interruptTraining('broken') });
    expect(stopped.code).toBe(130);
    expect(stopped.err).toContain('ludus train --resume broken');
    const resumed = await ludus(cwd, ['train', '--resume', 'broken', '--json']);
    expect(resumed.code).toBe(0);
    expect(lastLine(resumed.out)['exploitability']).toBe(lastLine(whole.out)['exploitability']);
    expect(kept('broken').checkpoint).toEqual(kept('whole').checkpoint);
    for (const file of ['metrics.csv', 'events.out.tfevents.ludus', 'best.json'])
      expect(existsSync(join(cwd, '.ludus', 'training', 'whole', file))).toBe(true);
    expect(kept('whole', 'best').worth).toBeGreaterThanOrEqual(kept('whole').worth);
  });

  it('uses one name for folder, store, and command, and needs --force for a taken name', async () => {
    const words = ['train', 'kuhn-rae', '--games', '20000', '--name', 'noted'];
    expect((await ludus(cwd, words)).code).toBe(0);
    const before = kept('noted');
    const refused = await ludus(cwd, [...words, '--seed', '2']);
    expect([refused.code, refused.err]).toEqual([2, expect.stringContaining('Run "noted" already exists. Pass --resume noted')]);
    expect(kept('noted')).toEqual(before);
    const forced = await ludus(cwd, [...words, '--seed', '2', '--force']);
    expect([forced.code, forced.out]).toEqual([0, expect.stringContaining('Saved as noted in')]);
    expect(kept('noted').checkpoint).not.toEqual(before.checkpoint);
    const store = await openStore(join(cwd, '.ludus', 'ludus.sqlite'));
    try {
      expect((await store.run('noted'))?.work).toMatchObject({ kind: 'train', seed: 2, name: 'noted' });
      expect(await store.run('noted-2')).toBeNull();
      const metrics = (await store.notes('noted', 'metrics')) as readonly { update: number; exploitability: number }[];
      expect(metrics.filter(({ update }) => update === 157)).toHaveLength(1);
      expect(metrics.at(-1)?.exploitability).toBeLessThan(metrics[0]?.exploitability as number);
    } finally {
      await store.close();
    }
    const exported = await ludus(cwd, ['data', 'export', '--run', 'noted', '--journal', 'metrics', '--format', 'csv']);
    expect(exported.out.trim().split('\n').at(-1)).toContain('157');
  });

  it('reports that no learner played a token, and fails', async () => {
    writeFileSync(
      join(cwd, 'still.ts'),
      `const over = (task) => ({ state: {}, messages: [], asks: [], rewards: {} });
      export default {
        id: 'still@1', about: { summary: 'Over before it begins.', tasks: [{}], turns: 1 }, parameters: {},
        task: () => ({}), seats: () => ['first', 'second'], start: over, step: over, scripts: {},
      };`,
    );
    const { code, err } = await ludus(cwd, [
      'train',
      'gigpo',
      '--games',
      '64',
      '--name',
      'still',
      '--set',
      'training.environment=./still.ts',
    ]);
    expect([code, err]).toEqual([1, expect.stringContaining('Nothing was learned: no learner played a token in')]);
  });

  it('trains by rollout if necessary, and draws the curve on a terminal', async () => {
    const { code, out, err } = await ludus(cwd, ['train', 'gigpo', '--games', '640'], { tty: true });
    expect([code, out]).toEqual([0, expect.stringContaining('Saved as gigpo-1')]);
    expect((await ludus(cwd, ['list', 'runs'])).out).toMatch(/^gigpo-1 +(\d+) +\1 +updates /m);
    expect(err).toMatch(/[▁▂▃▄▅▆▇█]/);
  });

  it('leaves no run behind if it could not start', async () => {
    const words = ['train', 'rules-tabular', '--games', '64', '--name', 'unborn'];
    const wrong = await ludus(cwd, [...words, '--set', 'training.task={"colour":1}']);
    expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining('colour')]);
    expect((await ludus(cwd, ['list', 'runs', '--json'])).out).not.toContain('"unborn"');
    expect((await ludus(cwd, words)).code).toBe(0);
  });

  it('explains invalid options', async () => {
    expect((await ludus(cwd, ['train', 'kuhn-tabulr'])).err).toContain('Did you mean "kuhn-tabular"?');
    expect((await ludus(cwd, ['train'])).err).toContain('Name a recipe');
    expect((await ludus(cwd, ['train', '--resume', 'nothing'])).err).toContain('No training run at');
    expect((await ludus(cwd, ['train', '--resume', '../x'])).err).toContain('plain name');
    expect((await ludus(cwd, ['train', '--resume', 'whole', '--games', '5'])).err).toContain(
      "--resume continues with the run's settings. Remove --set and",
    );
    expect((await ludus(cwd, ['train', 'kuhn-rae', '--set', 'loss.x=1'])).err).toContain('has no "x"');
    expect((await ludus(cwd, ['train', 'cm2', '--set', 'assignment={"kind":"checklist"}'])).err).toContain('needs a judge');
    // With a judge in a file it trains: whoever checks is paid, whatever the cards are.
    const judge = `export default ({ log, seat, sample }) =>
      log.filter((one) => one.kind === 'action' && one.seat === seat).map((one) => (one.action.text === '[check]' ? 1 : 0)).slice(0, sample.turns.length);`;
    writeFileSync(join(cwd, 'judge.mjs'), judge);
    const checked = await ludus(cwd, [
      'train',
      'cm2',
      '--environment',
      'kuhn-poker',
      '--set',
      'assignment.by=./judge.mjs',
      '--games',
      '1280',
      '--name',
      'judged',
      '--json',
    ]);
    expect(checked.code).toBe(0);
    const [show] = [await ludus(cwd, ['play', 'kuhn-poker', '--first', 'local/judged@last', '--second', 'random', '--json'])];
    expect([show.code, JSON.parse(checked.out.trim().split('\n').at(-1)!).tokens > 0]).toEqual([0, true]);
    expect((await ludus(cwd, ['train', 'cm2', '--set', 'assignment.by=nobody'])).err).toContain('nobody');
  });
});

describe('exploitability', () => {
  it.skipIf(!hasRuntime())('is undefined if most answers are illegal, and reported as such everywhere', async () => {
    const words = ['train', 'kuhn-tabular', '--set', 'training.learner=transformer', '--games', '20', '--name', 'babbler'];
    const { out, err } = await ludus(cwd, words);
    expect(out).toMatch(/Exploitability is undefined: legal moves get [\d.]+% of the probability/);
    expect(out + err).not.toMatch(/[Ee]xploitability \d/);
    const report = JSON.parse((await ludus(cwd, ['report', 'babbler', '--json'])).out);
    expect(report).toMatchObject({ figure: 'exploitability', last: null, best: null });
    expect(report.legal).toBeLessThan(0.5);
    const exploited = JSON.parse(
      (await ludus(cwd, ['env', 'exploit', 'local/babbler@last', 'kuhn-poker', '--samples', '5', '--json'])).out,
    );
    expect(exploited.exploitability).toBeNull();
    expect(exploited.strategy).toHaveLength(12);
  });

  it('of an agent is not reported if the trained player loses to it', async () => {
    const words = ['train', 'best-response', '--against', 'scripted:equilibrium', '--games', '20', '--name', 'weak'];
    const found = JSON.parse((await ludus(cwd, [...words, '--json'])).out.trim().split('\n').at(-1)!);
    expect(found.won).toBeLessThan(0);
    expect(found.exploitability).toBeNull();
    expect(found.legal).toBe(1);
    const { out } = await ludus(cwd, [...words, '--force']);
    expect(out).toMatch(/No exploit of scripted:equilibrium was found: the trained player wins -0\.\d+ a game/);
    expect(out).not.toContain('can be beaten by');
  });
});

describe('a trained model', () => {
  it('plays by name, beats random play, and rejects environments it was not trained in', async () => {
    await ludus(cwd, ['train', 'kuhn-tabular', '--games', '200000', '--name', 'table']);
    const arena = await ludus(cwd, ['arena', 'kuhn-poker', '--agents', 'local/table@best,random', '--games', '1000', '--json']);
    expect(arena.code).toBe(0);
    expect(winner(arena.out)).toBe('local/table@best');
    const steps = readdirSync(join(cwd, '.ludus', 'training', 'table')).filter((file) => file.startsWith('step-'));
    expect(steps.length).toBe(10);
    const step = steps[0]!.replace('.json', '');
    const watched = ['play', 'kuhn-poker', '--watch', '--first', `local/table@${step}`, '--second', 'local/table', '--json'];
    expect((await ludus(cwd, watched)).code).toBe(0);
    expect((await ludus(cwd, ['play', 'kuhn-poker', '--watch', '--first', 'local/table@step-7'])).err).toContain(
      'has no checkpoint "step-7"',
    );
    expect((await ludus(cwd, ['play', 'tic-tac-toe', '--watch', '--X', 'local/table'])).err).toContain('was trained on kuhn-poker');
    const warnings = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    const play = async (task: string) =>
      ludus(cwd, ['play', 'kuhn-poker', '--task', task, '--watch', '--agents', 'local/table', '--seed', '1']);
    await play('{}');
    expect(warnings).not.toHaveBeenCalled();
    await play('{"rounds":4}');
    await play('{"rounds":5}');
    expect(warnings.mock.calls).toEqual([[expect.stringMatching(/^local\/table plays at random here.*task \{\}/), 'ModelWarning']]);
    warnings.mockRestore();
  });

  it('recognizes positions reached by any path', async () => {
    await ludus(cwd, ['train', 'tic-tac-toe-tabular', '--games', '60000', '--name', 'marks']);
    const { out } = await ludus(cwd, ['arena', 'tic-tac-toe', '--agents', 'local/marks,random', '--games', '200', '--json']);
    expect(winner(out)).toBe('local/marks');
  });

  it.skipIf(!hasRuntime())('can be a language model: stopped, resumed exactly, and seated', async () => {
    const warmUp = 'training.warmUp={"games":30,"steps":5,"rate":0.003}';
    const settings = ['--games', '120', '--set', 'training.batch=12', '--set', warmUp, '--json'];
    const whole = await ludus(cwd, ['train', 'kuhn-lm', ...settings, '--name', 'speech']);
    expect(Object.keys(lastLine(whole.out))).toEqual([
      'exploitability',
      'legal',
      'games',
      'seconds',
      'invalid',
      'tokens',
      'acted',
      'mechanism',
    ]);
    const stopped = await ludus(cwd, ['train', 'kuhn-lm', ...settings, '--name', 'halved'], {
      during: interruptTraining('halved'),
    });
    expect(stopped.code).toBe(130);
    await ludus(cwd, ['train', '--resume', 'halved']);
    const weights = (name: string) => readFileSync(kept(name).checkpoint.learner);
    expect(weights('halved').equals(weights('speech'))).toBe(true);
    const { code, out } = await ludus(cwd, ['play', 'kuhn-poker', '--watch', '--agents', 'local/speech@best', '--json']);
    expect([code, out]).toEqual([0, expect.stringContaining('over')]);
  });
});

describe('ludus train sweep', () => {
  it('compares settings side by side', async () => {
    const words = ['train', 'sweep', 'kuhn-rae', '--games', '20000', '--seeds', '2', '--try', 'loss.kl.weight=0.1,0.5', '--json'];
    const { code, out } = await ludus(cwd, words);
    expect(code).toBe(0);
    const rows = JSON.parse(out) as {
      settings: string[];
      median: number;
      worst: number;
      exploitability: number;
      seeds: number;
      intervals: { exploitability: [number, number] };
    }[];
    expect(rows.map(({ settings }) => settings)).toEqual([['loss.kl.weight=0.1'], ['loss.kl.weight=0.5']]);
    for (const { median, worst, exploitability, seeds, intervals } of rows) {
      expect(worst).toBeGreaterThanOrEqual(median);
      expect(seeds).toBe(2);
      expect(intervals.exploitability[0]).toBeLessThan(exploitability);
      expect(intervals.exploitability[1]).toBeGreaterThan(worst);
    }
    expect((await ludus(cwd, ['train', 'sweep', 'kuhn-rae', '--try', 'games'])).err).toContain('path=one,two');
  });
});

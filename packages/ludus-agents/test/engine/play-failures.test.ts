import { kuhnPoker } from '@ludus-agents/environments/internal/kuhn-poker';
import { type Agent, Fault, type Reply, scripted } from '@ludus-agents/kernel/internal/core/index';
import { Course } from '@ludus-agents/kernel/internal/engine/course';
import { play, resume } from '@ludus-agents/kernel/internal/engine/play';
import {
  answers,
  bidders,
  bidOf,
  endOf,
  kindsOf,
  never,
  playing,
  says,
  within,
  withTwistedSteps,
} from '@ludus-agents/kernel/internal/engine/play.cases';
import { describe, expect, it } from 'vitest';
import { turns } from '../../../../test/fixtures/until.ts';
import { bidding, bytes, everywhere, logOf } from '../../../../test/random-environments.ts';

describe('canceling', () => {
  it('[E10] before the start asks no agent', async () => {
    let requestCount = 0;
    const counter = scripted('counter', () => {
      requestCount++;
      return { text: '[1]' };
    });
    const log = await playing(everywhere(bidders, counter), { signal: AbortSignal.abort() });
    expect(kindsOf(log)).toBe('start message message message turn end');
    expect(endOf(log)).toMatchObject({ reason: 'abort', turns: 0 });
    expect(requestCount).toBe(0);
  });

  it("[E10] during an answer aborts the agent's signal and ends the episode", async () => {
    const stop = new AbortController();
    let told = false;
    const listener: Agent = {
      name: 'listener',
      act: (_, signal) =>
        new Promise((_, reject) => {
          signal.addEventListener('abort', () => {
            told = true;
            reject(new Error('stopped listening'));
          });
          stop.abort();
        }),
    };
    const log = await logOf(play(kuhnPoker, { first: listener, second: says('[check]') }, { signal: stop.signal }));
    expect(told).toBe(true);
    expect(endOf(log)).toMatchObject({ reason: 'abort', turns: 0 });
    expect(endOf(log)).not.toHaveProperty('fault');
  });

  it.each([
    ['immediately', (stop: AbortController) => stop.abort()],
    ['later', (stop: AbortController) => setImmediate(() => stop.abort())],
  ])('[E10] does not wait for an agent that ignores it, canceled %s', async (_, call) => {
    const stop = new AbortController();
    const deaf: Agent = {
      name: 'deaf',
      act() {
        call(stop);
        return never();
      },
    };
    expect(endOf(await playing({ ...bidOf('[1]'), cid: deaf }, { signal: stop.signal }))).toMatchObject({ reason: 'abort', turns: 0 });
  });

  it('[E10] keeps finished answers and ignores late ones', async () => {
    const stop = new AbortController();
    let finish = (_: Reply) => {};
    const late: Agent = {
      name: 'late',
      act: () =>
        new Promise((resolve) => {
          finish = resolve;
          setImmediate(() => stop.abort());
        }),
    };
    const log = await playing({ ...bidOf('[1]'), bob: late }, { signal: stop.signal });
    const before = bytes(log);
    finish({ action: { text: '[2]' } });
    await turns(2);
    expect(bytes(log)).toBe(before);
    expect(answers(log)).toEqual(['ann', 'cid']);
  });

  it('[E11] happens automatically when the consumer leaves', async () => {
    let cancelled = false;
    const slow: Agent = {
      name: 'slow',
      act: (_, signal) =>
        new Promise(() => {
          signal.addEventListener('abort', () => {
            cancelled = true;
          });
        }),
    };
    for await (const event of play(bidding, { ...bidOf('[1]'), cid: slow })) if (event.kind === 'action') break;
    expect(cancelled).toBe(true);
  });

  it('[E11] leaves no listener on the given signal', async () => {
    const { signal } = new AbortController();
    let listeners = 0;
    const add = signal.addEventListener.bind(signal);
    const remove = signal.removeEventListener.bind(signal);
    signal.addEventListener = ((...inputs: Parameters<typeof add>) => {
      listeners++;
      add(...inputs);
    }) as typeof signal.addEventListener;
    signal.removeEventListener = ((...inputs: Parameters<typeof remove>) => {
      listeners--;
      remove(...inputs);
    }) as typeof signal.removeEventListener;
    await playing(bidOf('[1]'), { signal });
    for await (const event of play(bidding, bidOf('[1]'), { signal })) if (event.kind === 'action') break;
    expect(listeners).toBe(0);
  });
});

describe('failures', () => {
  it('[E4] of one of several seats end the episode after the others have answered, naming the seat', async () => {
    const failing: Agent = {
      name: 'failing',
      act: () => Promise.reject(new Fault('model', 'The model\n  is out.')),
    };
    for (const agents of [
      { ...bidOf('[1]'), ann: failing },
      { ann: failing, bob: within(3), cid: within(1) },
    ]) {
      const log = await playing(agents);
      expect(answers(log)).toEqual(['bob', 'cid']);
      expect(endOf(log)).toMatchObject({
        reason: 'error',
        fault: { boundary: 'model', message: 'The model is out.', seat: 'ann' },
        turns: 0,
      });
    }
  });

  it.each([undefined, null, 'a word', 7, Object.create(null), new Fault('tool', 'No tool.')])(
    '[E4] are reported for any thrown value: %j',
    async (thrown) => {
      for (const act of [
        () => Promise.reject(thrown),
        () => {
          throw thrown;
        },
      ])
        expect(endOf(await playing({ ...bidOf('[1]'), cid: { name: 'odd', act } }))).toMatchObject({
          reason: 'error',
          fault: { seat: 'cid' },
        });
    },
  );

  it('[E4] of several seats are reported by the first of them in the order of the asks', async () => {
    const failing = (ticks: number): Agent => ({
      name: 'failing',
      async act({ ask }) {
        await turns(ticks);
        throw new Error(`${ask.seat} failed.`);
      },
    });
    expect(endOf(await playing({ ann: failing(4), bob: says('[1]'), cid: failing(1) })).fault).toEqual({
      boundary: 'agent',
      message: 'ann failed.',
      seat: 'ann',
    });
  });

  it.each([
    ['nothing', undefined],
    ['null', null],
    ['a text', '[1]'],
    ['no action', {}],
    ['an empty action', { action: {} }],
    ['a number instead of a text', { action: { text: 1 } }],
    ['a list', []],
    ['a circular object', circle()],
    ['a mind that is not JSON', { action: { text: '[1]' }, mind: { when: new Date(0) } }],
    ['data that is not JSON', { action: { text: '[1]', data: undefined } }],
  ])('[E12] include an answer that is %s, as a fault of the agent', async (_, reply) => {
    for (const act of [() => reply as Reply, () => Promise.resolve(reply as Reply)]) {
      const log = await playing({ ...bidOf('[1]'), bob: { name: 'odd', act } });
      expect(answers(log)).toEqual(['ann', 'cid']);
      expect(endOf(log)).toMatchObject({ reason: 'error', fault: { boundary: 'agent', seat: 'bob' } });
    }
  });

  it.each([
    [
      'an exception',
      () => {
        throw new Error('The rules broke.');
      },
      /^The rules broke\.$/,
    ],
    ['an ask to an unknown seat', (step: object) => ({ ...step, asks: [{ seat: 'dan' }] }), /seat "dan"/],
    ['two asks to one seat', (step: object) => ({ ...step, asks: [{ seat: 'ann' }, { seat: 'ann' }] }), /"ann" twice/],
    ['a message to an unknown seat', (step: object) => ({ ...step, messages: [{ to: ['ann', 'dan'], text: '' }] }), /seat "dan"/],
    ['a message from an unknown seat', (step: object) => ({ ...step, messages: [{ to: ['ann'], from: 'dan', text: '' }] }), /seat "dan"/],
    ['a reward to an unknown seat', (step: object) => ({ ...step, rewards: { ann: 1, dan: 1 } }), /seat "dan"/],
    ['a reward that is not a number', (step: object) => ({ ...step, rewards: { ann: 1, bob: Number.NaN } }), /bob.*NaN/],
    ['no step', () => undefined, /./],
  ])('[E13] of the rules (%s) end in an environment fault, keeping earlier rewards in the log', async (_, twist, message) => {
    for (const freeze of [true, false]) {
      const log = await logOf(play(withTwistedSteps(twist), bidOf('[1]'), { freeze }));
      expect(endOf(log)).toMatchObject({ reason: 'error', fault: { boundary: 'environment' }, returns: { ann: 0, bob: 0, cid: 0 } });
      expect(endOf(log).fault?.message).toMatch(message);
      expect(log.filter((event) => event.kind === 'end')).toHaveLength(1);
    }
  });

  it('[E13] of the start end the episode immediately', async () => {
    const start = () => {
      throw new Error('There is no board.');
    };
    const log = await logOf(play({ ...bidding, start }, bidOf('[1]')));
    expect(kindsOf(log)).toBe('start end');
    expect(endOf(log)).toMatchObject({ reason: 'error', fault: { boundary: 'environment' } });
  });

  it.each([
    ['an empty seat', () => play(bidding, { ann: says(''), bob: says('') }), /Seat "cid" has no agent/],
    ['an extra seat', () => play(bidding, { ...bidOf(''), dan: says('') }), /Unknown seat "dan"/],
    ['a seed below 0', () => play(bidding, bidOf(''), { seed: -1 }), /seed: .* -1/],
    ['a fractional seed', () => play(bidding, bidOf(''), { seed: 0.5 }), /seed: .* 0\.5/],
    ['an invalid task', () => play(kuhnPoker, { first: says(''), second: says('') }, { task: { rounds: 0 } }), /"rounds"/],
    ['a log without a start', () => resume(bidding, bidOf(''), []), /A log must start with a start event, but/],
  ])('[E5] of input (%s) throw before the first event', (_, begin, message) => {
    expect(begin).toThrow(Fault);
    expect(begin).toThrow(message);
  });

  it('[E5] of the caller of a course throw immediately', () => {
    const course = new Course(bidding, { kind: 'start', environment: 'bidding@1', task: { rounds: 1 }, seed: 0, seats: bidders, cast: {} });
    const reply = { action: { text: '[1]' } };
    expect(() => course.answer('dan', reply)).toThrow(/"dan" was not asked/);
    course.answer('bob', reply);
    expect(course.waiting.map(({ seat }) => seat)).toEqual(['ann', 'cid']);
    expect(() => course.answer('bob', reply)).toThrow(/" was not asked, or has already answered\. Answer/);
  });
});

function circle(): object {
  const round: Record<string, unknown> = {};
  round['round'] = round;
  return round;
}

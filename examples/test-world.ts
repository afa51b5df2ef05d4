/** @file What a test of one's own world or agent can hold: the conformance kit, exact replay, a golden text, a language agent without a model. */

import assert from 'node:assert/strict';
import { createAgentLoader, EpisodeRecorder, loadEnvironment, play, recordEpisode } from 'ludus-agents';
import { check, fakeModel, memoryStore, playthrough, replay, transcript } from 'ludus-agents/testing';

const poker = await loadEnvironment('kuhn-poker');
assert.deepEqual(await check(poker, { episodes: 20 }), []);
console.log('the rules keep the conformance kit');

// A language agent whose model answers from a list: no network, the same episode every time.
const cast = createAgentLoader({ model: async () => fakeModel({ answers: ['[bet]', '[call]', '[check]'] }) });
const agents = { first: await cast('llm:fake', 'first', poker), second: await cast('scripted', 'second', poker) };
const store = memoryStore();
const recorder = new EpisodeRecorder({ store, episode: 'one' });
const end = await recordEpisode(play(poker, agents, { seed: 1 }), recorder);
await recorder.flush();
assert.equal(end?.reason, 'over');

const log = await store.events('one');
assert.equal(replay(poker, log), null);
const changed = log.map((event) => (event.kind === 'message' ? { ...event, text: `${event.text}!` } : event));
assert.notEqual(replay(poker, changed), null);
console.log('the stored log replays to the byte, and a changed one does not');
console.log(transcript(log));
console.log((await playthrough(poker, 40)).split('\n').slice(0, 6).join('\n'));

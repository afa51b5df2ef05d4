/**
 * @file A consultation: a doctor who reckons with probabilities, and a patient whose every answer is held against the hidden case.
 *
 * Offline the patient is the world's own; with a model it is Dorothy Marlow, who never complains: `node examples/patient.ts
 * openai/gpt-5-mini`. Toy tables, no medical advice.
 */

import { type AgentSpec, auditsOf, createAgentLoader, createModel, type EpisodeEvent, loadEnvironment, play } from 'ludus-agents';
import { gallery } from 'ludus-agents/personas';

const model = process.argv[2];
const dot = gallery['patient'];
const clinic = await loadEnvironment('clinic');
const cast = createAgentLoader({ model: createModel });

const instruction = 'Your complaints today are those on the card that you are given; they come before anything else about your health.';
const patient: AgentSpec | string =
  model === undefined ? 'scripted:patient' : { name: dot.name, kind: 'llm', model, persona: dot, texts: { instruction } };

const logs: EpisodeEvent[][] = [];
for (let seed = 1; seed <= 20; seed++) {
  const agents = { doctor: await cast('scripted:bayes', 'doctor', clinic), patient: await cast(patient, 'patient', clinic) };
  logs.push(await Array.fromAsync(play(clinic, agents, { seed })));
  if (model !== undefined && seed === 3) break;
}

const who = model === undefined ? 'patient' : dot.name;
for (const event of logs[0] ?? []) {
  if (event.kind === 'action') console.log(`${(event.seat === 'patient' ? who : event.seat).padEnd(16)} ${event.action.text.trim()}`);
  if (event.kind === 'end') console.log(`\nthe doctor is paid ${event.returns['doctor']?.toFixed(2)}`);
}

const audits = logs.map((log) => auditsOf(log)['patient'] ?? { checked: 0, contradicted: 0 });
const checked = audits.reduce((sum, audit) => sum + audit.checked, 0);
const contradicted = audits.reduce((sum, audit) => sum + audit.contradicted, 0);
const rewards = logs.map((log) => log.find((event) => event.kind === 'end')?.returns['doctor'] ?? 0);
console.log(`over ${logs.length} consultations: ${(rewards.reduce((sum, value) => sum + value, 0) / logs.length).toFixed(2)} a case`);
console.log(`the patient's answers: ${checked} checked against the hidden case, ${contradicted} contradict it`);

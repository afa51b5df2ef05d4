/**
 * @file A sandbox on another machine, over HTTP. Its isolation is that machine's responsibility.
 *
 * POST url {job} answers {"type": "end", …} or {"type": "calls", "token": "…", "calls": [{"id", "name", "text"}]}; then POST url {"token":
 * "…", "answers": [{"id", "ok", "text"}]} continues. Every response is validated as strictly as that of a local engine.
 */

import { Fault, type Json, type JsonObject, sentenceOf } from '@ludus-agents/kernel/internal/core/index';
import type { Backend, BackendSettings } from './backends.ts';
import { parseBounded } from './bounded-json.ts';
import { endWith, readEnd, type SandboxEnd, type SandboxHost, type SandboxJob } from './job.ts';

const grace = 10_000;

export function createRemote({ url, headers = {}, language = 'python' }: BackendSettings): Backend {
  const nothing = { network: false, files: false, memory: false, cpu: false, fork: false };
  const isAddress = url !== undefined && URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
  return {
    name: 'remote',
    language,
    async probe() {
      if (!isAddress) return { ok: false, holds: nothing, why: 'it needs the address of a sandbox server ("url").' };
      return { ok: true, holds: nothing, why: 'the machine at that address decides what is restricted; this machine is not reached.' };
    },
    async execute(job, host) {
      if (!isAddress) throw new Fault('input', 'A remote sandbox needs an address: {"url": "https://…"}.');
      const timeout = AbortSignal.timeout(job.limits.wallMilliseconds + grace);
      const signal = host.signal === undefined ? timeout : AbortSignal.any([host.signal, timeout]);
      try {
        return await converse(job, host, (message) => post(url, headers, message, job, signal));
      } catch (thrown) {
        return timeout.aborted ? endWith('time') : endWith('engine', `The sandbox server failed: ${sentenceOf(thrown)}`);
      }
    },
  };
}

async function converse(job: SandboxJob, host: SandboxHost, ask: (message: Json) => Promise<JsonObject>): Promise<SandboxEnd> {
  let message = await ask({ type: 'job', ...job });
  // Every round has at least one call, and calls are limited.
  while (message['type'] === 'calls') {
    const { token, calls } = message;
    if (typeof token !== 'string' || !Array.isArray(calls) || calls.length === 0 || calls.length > job.limits.calls + 1)
      return endWith('engine');
    const answers = await Promise.all(
      (calls as readonly JsonObject[]).map(async (call) => {
        const callAnswer = await host.call(String(call?.['name']), String(call?.['text']));
        return callAnswer === null ? null : { id: call?.['id'] ?? null, ok: callAnswer.ok, text: JSON.stringify(callAnswer.value) };
      }),
    );
    if (answers.includes(null)) return endWith('calls');
    message = await ask({ type: 'answers', token, answers: answers as Json });
  }
  return readEnd(message, job.limits);
}

async function post(
  url: string,
  headers: Readonly<Record<string, string>>,
  message: Json,
  { limits }: SandboxJob,
  signal: AbortSignal,
): Promise<JsonObject> {
  // A redirect could send the headers to another server.
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(message),
    signal,
    redirect: 'error',
  });
  if (!response.ok) throw new Error(`it answered ${response.status}`);
  const most = 6 * (limits.characters + limits.fileCharacters) + 100_000;
  const decoder = new TextDecoder();
  let text = '';
  for await (const piece of response.body ?? []) {
    text += decoder.decode(piece, { stream: true });
    if (text.length > most) throw new Error('its answer is too long');
  }
  const value = parseBounded(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error('its answer is not a JSON object');
  return value as JsonObject;
}

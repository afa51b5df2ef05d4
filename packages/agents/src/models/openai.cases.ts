/** @file A client and a scripted server to ask it with, for the tests of the OpenAI-compatible client. */

import { inspect } from 'node:util';
import type { ModelCall, Prompt, Sampling } from '@ludus-agents/kernel/internal/core/index';
import { expect } from 'vitest';
import { type Move, type ScriptedServer, scriptedServer } from '../../../../test/fixtures/scripted-server.ts';
import { ModelFault } from './fault.ts';
import { type OpenAIOptions, openaiModel } from './openai.ts';

export const never = new AbortController().signal;
export const key = 'sk-secret+"quoted"/key';
export const hello: Prompt = { messages: [{ role: 'user', content: 'hello' }] };
let server: ScriptedServer | undefined;

/** For `afterEach`. */
export const closeServer = async (): Promise<void> => server?.close();

interface Asking extends Partial<OpenAIOptions> {
  readonly sampling?: Sampling;
  readonly prompt?: Prompt;
  readonly signal?: AbortSignal;
  readonly onText?: (piece: string) => void;
}

export async function serve(...moves: Move[]) {
  server = await scriptedServer(...moves);
  const { url } = server;
  const observations: string[] = [];
  return {
    server,
    told: observations,
    ask({ sampling = {}, prompt = hello, signal = never, onText, ...more }: Asking = {}): Promise<ModelCall> {
      const options = {
        baseURL: url,
        model: 'm',
        keyFrom: 'KEY',
        env: { KEY: key },
        warn: (item: string) => observations.push(item),
        id: 'test/m',
      };
      return openaiModel({ ...options, ...more }).complete(prompt, sampling, signal, onText);
    },
  };
}

/** The fault of a call, after a look that the key stands nowhere in it. */
export async function faultOf(call: Promise<unknown>): Promise<ModelFault> {
  const thrown = await call.then(
    () => expect.fail('The call should have failed.'),
    (item: unknown) => item,
  );
  expect(inspect(thrown, { depth: 10, showHidden: true })).not.toContain('sk-secret');
  expect(thrown).toBeInstanceOf(ModelFault);
  return thrown as ModelFault;
}

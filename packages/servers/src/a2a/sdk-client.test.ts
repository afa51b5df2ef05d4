/** @file The protocol's own client against our server: messages, streams, tasks, cancelling, subscribing again, and callers apart. */

import { type Message, Role, type SendMessageRequest, type StreamResponse, type Task, TaskState } from '@a2a-js/sdk';
import { type Client, ClientFactory, ClientFactoryOptions, DefaultAgentCardResolver, JsonRpcTransportFactory } from '@a2a-js/sdk/client';
import { createAgent } from '@ludus-agents/agents/internal/kinds';
import { gallery } from '@ludus-agents/agents/internal/personas/index';
import type { Agent, Reply } from '@ludus-agents/kernel/internal/core/index';
import { afterEach, describe, expect, it } from 'vitest';
import type { Caller } from '../access.ts';
import { closeTestServers, startTestServer, type TestServer, type TestServerOptions } from '../server.cases.ts';
import { a2aRoutes } from './routes.ts';

afterEach(closeTestServers);

function house(options: TestServerOptions = {}): Promise<TestServer> {
  return startTestServer({ ...options, routes: (episodeHost) => [a2aRoutes({ episodeHost, version: '1.0.0', personas: gallery })] });
}

async function clientOf(url: string, token?: string): Promise<Client> {
  const fetchImpl: typeof fetch = (input, init) => {
    const headers = new Headers(init?.headers);
    if (token !== undefined) headers.set('authorization', `Bearer ${token}`);
    return fetch(input, { ...init, headers });
  };
  const options = ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
    transports: [new JsonRpcTransportFactory({ fetchImpl })],
    cardResolver: new DefaultAgentCardResolver({ fetchImpl }),
  });
  return new ClientFactory(options).createFromUrl(`${url}/a2a/innkeeper/.well-known/agent-card.json`, '');
}

function request(text: string, changes: Partial<Message> = {}, returnImmediately = false): SendMessageRequest {
  const message: Message = {
    ...{ messageId: 'm', contextId: '', taskId: '', role: Role.ROLE_USER, metadata: undefined, extensions: [], referenceTaskIds: [] },
    parts: [{ content: { $case: 'text', value: text }, metadata: undefined, filename: '', mediaType: 'text/plain' }],
    ...changes,
  };
  const configuration = { acceptedOutputModes: [], taskPushNotificationConfig: undefined, returnImmediately };
  return { tenant: '', message, configuration, metadata: undefined };
}

const textIn = (message: Message | undefined) =>
  message?.parts.map(({ content }) => (content?.$case === 'text' ? content.value : '')).join('');

function stateIn({ payload }: StreamResponse): string | undefined {
  if (payload?.$case === 'artifactUpdate') return 'artifact';
  const state = payload?.$case === 'task' || payload?.$case === 'statusUpdate' ? payload.value.status?.state : undefined;
  return state === undefined ? payload?.$case : TaskState[state];
}

const get = (id: string) => ({ tenant: '', id, metadata: undefined });

/** A character that answers when the test says so, and notes that it was stopped. */
function slow() {
  const begun = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<Reply>();
  const stopped = Promise.withResolvers<unknown>();
  const agent: Agent = {
    name: 'slow',
    act(_, signal) {
      signal.addEventListener('abort', () => stopped.resolve(signal.reason));
      begun.resolve();
      return answer.promise;
    },
  };
  const cast: typeof createAgent = async (spec, seat, environment) => (seat === 'character' ? agent : createAgent(spec, seat, environment));
  return { begun: begun.promise, say: (text: string) => answer.resolve({ action: { text } }), stopped: stopped.promise, cast };
}

describe('the A2A SDK client', () => {
  it('sends messages and continues in the context of the answer', async () => {
    const { url } = await house();
    const client = await clientOf(url);
    const first = (await client.sendMessage(request('Good evening! What do you do here?'))) as Message;
    expect(textIn(first)).not.toBe('');
    const second = (await client.sendMessage(request('And the rooms?', { contextId: first.contextId }))) as Message;
    expect(second.contextId).toBe(first.contextId);
  });

  it('streams a task from submitted to completed, then fetches and lists it', async () => {
    const { url } = await house();
    const client = await clientOf(url);
    const streamResponses: StreamResponse[] = [];
    for await (const event of client.sendMessageStream(request('Good evening!'))) streamResponses.push(event);
    expect(streamResponses.map(stateIn)).toEqual(['TASK_STATE_SUBMITTED', 'TASK_STATE_WORKING', 'artifact', 'TASK_STATE_COMPLETED']);
    const { id, contextId } = (streamResponses[0] as StreamResponse & { payload: { value: Task } }).payload.value;
    const task = await client.getTask(get(id));
    expect(task).toMatchObject({ id, contextId, status: { state: TaskState.TASK_STATE_COMPLETED } });
    expect(textIn(task.status?.message)).toBe(
      task.artifacts[0]?.parts.map(({ content }) => (content?.$case === 'text' ? content.value : '')).join(''),
    );
    const listed = await client.listTasks({ tenant: '', contextId, status: 0, pageToken: '' } as never);
    expect(listed.tasks.map((task) => task.id)).toEqual([id]);
    // What is over is not sent to, nor canceled.
    await expect(client.sendMessage(request('More', { taskId: id }))).rejects.toThrow(/terminal/);
    await expect(client.cancelTask(get(id))).rejects.toThrow(/cancelable/);
  });

  it('cancels a task, which stops the character and ends the stream', async () => {
    const character = slow();
    const { url, log } = await house({ episodeHost: { agent: character.cast } });
    const client = await clientOf(url);
    const stream = client.sendMessageStream(request('Are you there?'));
    const first = (await stream.next()).value as StreamResponse;
    const { id, contextId } = (first.payload as { value: Task }).value;
    await character.begun;
    // One message at a time.
    await expect(client.sendMessage(request('Hurry!', { contextId }))).rejects.toThrow(/still being answered/);
    const canceled = await client.cancelTask(get(id));
    expect(canceled.status?.state).toBe(TaskState.TASK_STATE_CANCELED);
    await character.stopped;
    const rest: StreamResponse[] = [];
    for await (const event of stream) rest.push(event);
    expect(rest.map(stateIn).at(-1)).toBe('TASK_STATE_CANCELED');
    character.say('Too late.');
    expect((await client.getTask(get(id))).status?.state).toBe(TaskState.TASK_STATE_CANCELED);
    expect((await log(contextId)).at(-1)).toMatchObject({ kind: 'end', reason: 'abort' });
  });

  it('returns immediately on request, and later subscribers still receive the end', async () => {
    const character = slow();
    const { url } = await house({ episodeHost: { agent: character.cast } });
    const client = await clientOf(url);
    const task = (await client.sendMessage(request('Are you there?', {}, true))) as Task;
    expect(task.status?.state).toBe(TaskState.TASK_STATE_SUBMITTED);
    await character.begun;
    const stream = client.resubscribeTask(get(task.id));
    const states = [stateIn((await stream.next()).value as StreamResponse)];
    character.say('Here I am.');
    for await (const event of stream) states.push(stateIn(event));
    expect(states).toEqual(['TASK_STATE_WORKING', 'artifact', 'TASK_STATE_COMPLETED']);
    expect(textIn((await client.getTask(get(task.id))).status?.message)).toBe('Here I am.');
  });

  it('reports a failing character as a failed task with an explanation', async () => {
    const broken: typeof createAgent = async (spec, seat, environment) =>
      seat === 'character'
        ? { name: 'broken', act: () => Promise.reject(new Error('out of order')) }
        : createAgent(spec, seat, environment);
    const { url } = await house({ episodeHost: { agent: broken } });
    const streamResponses: StreamResponse[] = [];
    for await (const event of (await clientOf(url)).sendMessageStream(request('Hello'))) streamResponses.push(event);
    expect(streamResponses.map(stateIn).at(-1)).toBe('TASK_STATE_FAILED');
    const { payload } = streamResponses.at(-1) as StreamResponse;
    expect(textIn((payload as { value: Task }).value.status?.message)).toContain('could not answer');
  });

  it('isolates callers: objects of one token do not exist for another', async () => {
    const callers: Readonly<Record<string, Caller>> = {
      'token-ann': { id: 'ann', scopes: ['play'] },
      'token-ben': { id: 'ben', scopes: ['play'] },
      'token-cat': { id: 'cat', scopes: ['read'] },
    };
    const { url, store, episodeHost } = await house({ serve: { tokens: (token) => callers[token] ?? null } });
    const ann = await clientOf(url, 'token-ann');
    const ben = await clientOf(url, 'token-ben');
    const task = (await ann.sendMessage(request('Hello', { contextId: 'ours' }, true))) as Task;
    await expect(ben.getTask(get(task.id))).rejects.toThrow(/not found/i);
    await expect(ben.cancelTask(get(task.id))).rejects.toThrow(/not found/i);
    await ben.sendMessage(request('Hello', { contextId: 'ours' }));
    await episodeHost.ledger.settle();
    expect(await store.episodes({ run: 'a2a' })).toHaveLength(2);
    // Who may only read sees cards, and says nothing.
    await expect((await clientOf(url, 'token-cat')).sendMessage(request('Hello'))).rejects.toThrow();
    await expect(clientOf(url, 'token-dan')).rejects.toThrow();
  });
});

/** @file Bots that speak A2A: an agent built as the SDK's samples are, our own personas, and peers that mean no good. */

import { type AgentCard, AgentCard as Card, type Message, Role, TaskState } from '@a2a-js/sdk';
import type { AgentExecutor, ExecutionEventBus, RequestContext } from '@a2a-js/sdk/server';
import { AgentEvent, DefaultRequestHandler, InMemoryTaskStore, JsonRpcTransportHandler, ServerCallContext } from '@a2a-js/sdk/server';
import type { Json } from '@ludus-agents/kernel/internal/core/index';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { until } from '../../../../test/fixtures/until.ts';
import { callsIn, closeServers, converse, seatBot, startServer, textsIn } from './bot.cases.ts';

afterEach(async () => {
  vi.useRealTimers();
  await closeServers();
});

const cardAt = (url: string, streaming = true): AgentCard => ({
  ...{ name: 'Sample Agent', description: 'A sample', version: '1.0.0', provider: undefined, signatures: [] },
  supportedInterfaces: [{ url, protocolBinding: 'JSONRPC', protocolVersion: '1.0', tenant: '' }],
  capabilities: { streaming, pushNotifications: false, extensions: [], extendedAgentCard: false },
  ...{ securitySchemes: {}, securityRequirements: [], defaultInputModes: ['text'], defaultOutputModes: ['text'], skills: [] },
});

const textOf = ({ parts }: Message) => parts.map(({ content }) => (content?.$case === 'text' ? content.value : '')).join('');
const part = (text: string) => ({
  content: { $case: 'text' as const, value: text },
  metadata: undefined,
  filename: '',
  mediaType: 'text/plain',
});
const message = (text: string, contextId: string, taskId: string): Message => ({
  ...{ messageId: crypto.randomUUID(), contextId, taskId, role: Role.ROLE_AGENT, parts: [part(text)] },
  ...{ metadata: undefined, extensions: [], referenceTaskIds: [] },
});

/** A server around an executor, put together from the SDK's own parts. */
async function peer(
  execute: (context: RequestContext, bus: ExecutionEventBus) => Promise<void>,
  options: { card?: (url: string) => AgentCard } = {},
) {
  const canceled: string[] = [];
  const executor: AgentExecutor = {
    execute,
    async cancelTask(taskId, bus) {
      canceled.push(taskId);
      bus.publish(AgentEvent.statusUpdate(status(TaskState.TASK_STATE_CANCELED, { taskId, contextId: '' })));
    },
  };
  let transport: JsonRpcTransportHandler | undefined;
  const server = await startServer(async ({ path, body }, response) => {
    const card = (options.card ?? cardAt)(`${server.url}/rpc`);
    if (path === '/.well-known/agent-card.json') return Card.toJSON(card) as Json;
    if (path !== '/rpc') return void response.writeHead(404).end();
    transport ??= new JsonRpcTransportHandler(new DefaultRequestHandler(card, new InMemoryTaskStore(), executor));
    const answer = await transport.handle(body as Record<string, unknown>, new ServerCallContext({ requestedVersion: '1.0' }));
    if (!(Symbol.asyncIterator in answer)) return answer as unknown as Json;
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for await (const event of answer) response.write(`data: ${JSON.stringify(event)}\n\n`);
    response.end();
    return undefined;
  });
  return { ...server, canceled };
}

const status = (state: TaskState, { taskId, contextId }: { taskId: string; contextId: string }, text?: string) => ({
  ...{ taskId, contextId, metadata: undefined },
  status: { state, message: text === undefined ? undefined : message(text, contextId, taskId), timestamp: undefined },
});

/** The life of a task as the sample agent has it: submitted, working, an artifact, then the given state. */
async function sample(
  { taskId, contextId, userMessage }: RequestContext,
  bus: ExecutionEventBus,
  last: TaskState,
  say?: string,
): Promise<void> {
  const at = { taskId, contextId };
  const { status: submitted } = status(TaskState.TASK_STATE_SUBMITTED, at);
  bus.publish(AgentEvent.task({ id: taskId, contextId, status: submitted, artifacts: [], history: [userMessage], metadata: undefined }));
  bus.publish(AgentEvent.statusUpdate(status(TaskState.TASK_STATE_WORKING, at, 'Thinking …')));
  for (const [i, text] of ['You said ', textOf(userMessage)].entries()) {
    const artifact = { artifactId: 'a', name: 'a', description: '', parts: [part(text)], metadata: undefined, extensions: [] };
    bus.publish(AgentEvent.artifactUpdate({ ...at, artifact, append: i > 0, lastChunk: i > 0, metadata: undefined }));
  }
  bus.publish(AgentEvent.statusUpdate(status(last, at, say)));
}

describe('A2A bot', () => {
  it('uses one context per conversation and reads text from artifacts, statuses, and messages', async () => {
    const contexts: string[] = [];
    const { url } = await peer(async (context, bus) => {
      contexts.push(context.contextId);
      if (contexts.length === 3) bus.publish(AgentEvent.message(message('At once.', context.contextId, '')));
      else await sample(context, bus, TaskState.TASK_STATE_COMPLETED, contexts.length === 2 ? 'In the status.' : undefined);
    });
    const log = await converse(await seatBot(`a2a:${url}`), 'one', 'two', 'three');
    expect(textsIn(log)).toEqual(['You said one', 'In the status.', 'At once.']);
    expect(new Set(contexts).size).toBe(1);
    expect(callsIn(log).map(({ notes }) => notes)).toEqual([
      ['The text is in its artifact.'],
      ['The text is in its status.'],
      ['The text is in its message.'],
    ]);
    await converse(await seatBot(`bot:a2a:${url}`), 'four');
    expect(contexts.at(-1)).not.toBe(contexts[0]);
  });

  it('continues a task that asks for more input and cancels a task still open at the end', async () => {
    const tasks: string[] = [];
    const { url, canceled } = await peer(async (context, bus) => {
      tasks.push(context.taskId);
      await sample(
        context,
        bus,
        tasks.length === 3
          ? TaskState.TASK_STATE_INPUT_REQUIRED
          : tasks.length === 1
            ? TaskState.TASK_STATE_INPUT_REQUIRED
            : TaskState.TASK_STATE_COMPLETED,
        `Answer ${tasks.length}`,
      );
    });
    const log = await converse(await seatBot(`a2a:${url}`), 'one', 'two', 'three');
    expect(textsIn(log)).toEqual(['Answer 1', 'Answer 2', 'Answer 3']);
    expect(tasks[1]).toBe(tasks[0]);
    expect(tasks[2]).not.toBe(tasks[0]);
    await until(() => canceled.includes(tasks[2]!));
  });

  it('works with agents that do not stream', async () => {
    const { url } = await peer((context, bus) => sample(context, bus, TaskState.TASK_STATE_COMPLETED), { card: (at) => cardAt(at, false) });
    expect(textsIn(await converse(await seatBot(`a2a:${url}`), 'one'))).toEqual(['You said one']);
  });

  it('reports failed tasks, empty answers, missing agent cards, and timeouts', async () => {
    const fault = async (at: string) => {
      const last = (await converse(await seatBot({ name: 'peer', kind: 'bot', settings: { via: 'a2a', url: at, seconds: 9 } }), 'one')).at(
        -1,
      );
      expect(last).toMatchObject({ kind: 'end', reason: 'error', fault: { boundary: 'agent' } });
      return (last as { fault: { message: string } }).fault.message;
    };
    const failing = await peer((context, bus) => sample(context, bus, TaskState.TASK_STATE_FAILED, 'no database'));
    expect(await fault(failing.url)).toBe('The bot peer ended its task as TASK_STATE_FAILED: no database');
    const empty = await peer(async ({ contextId }, bus) => bus.publish(AgentEvent.message(message('', contextId, ''))));
    expect(await fault(empty.url)).toContain('The bot peer answered without text in a message,');
    const none = await startServer((_, response) => void response.writeHead(404).end());
    expect(await fault(none.url)).toContain('could not be reached over A2A:');
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const hanging = await peer(async (context, bus) => {
      const at = { id: context.taskId, contextId: context.contextId };
      const { status: working } = status(TaskState.TASK_STATE_WORKING, { taskId: at.id, contextId: at.contextId });
      bus.publish(AgentEvent.task({ ...at, status: working, artifacts: [], history: [], metadata: undefined }));
      await new Promise(() => {});
    });
    const waiting = fault(hanging.url);
    await until(() => hanging.received.length === 2);
    let settled = false;
    waiting.then(() => {
      settled = true;
    });
    await until(async () => {
      await vi.advanceTimersByTimeAsync(1000);
      return settled;
    });
    expect(await waiting).toBe('The bot peer did not answer within 9 s.');
  });

  it('rejects an agent card that points to another server', async () => {
    const elsewhere = await startServer(() => ({}));
    const { url } = await peer((context, bus) => sample(context, bus, TaskState.TASK_STATE_COMPLETED), {
      card: () => cardAt(`${elsewhere.url}/rpc`),
    });
    const log = await converse(await seatBot(`a2a:${url}`), 'one');
    expect(log.at(-1)).toMatchObject({ fault: { boundary: 'agent', message: expect.stringContaining('points to') } });
    expect(elsewhere.received).toEqual([]);
  });
});

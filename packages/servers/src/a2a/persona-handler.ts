/**
 * @file Handles A2A requests to a persona with the protocol's SDK.
 *
 * A blocking message is answered with a message, without a task. A streamed or non-blocking message is
 * a task: it can be looked up, subscribed to, and canceled. Canceling also cancels the conversation.
 */

import { randomUUID } from 'node:crypto';
import type { AgentCard, Message, Part, SendMessageRequest, StreamResponse, Task } from '@a2a-js/sdk';
import { Role, TaskState } from '@a2a-js/sdk';
import { A2AError, ContentTypeNotSupportedError, RequestMalformedError, UnsupportedOperationError } from '@a2a-js/sdk/errors';
import type { AgentExecutor, ExecutionEventBus, RequestContext, ServerCallContext } from '@a2a-js/sdk/server';
import { AgentEvent, DefaultRequestHandler } from '@a2a-js/sdk/server';
import { isFault, report, sentenceOf } from '@ludus-agents/kernel/internal/core/index';
import type { Conversations } from './conversations.ts';
import type { TaskMemory } from './task-memory.ts';

export class PersonaHandler extends DefaultRequestHandler {
  readonly #conversations: Conversations;

  constructor(card: AgentCard, tasks: TaskMemory, conversations: Conversations) {
    super(card, tasks, new PersonaExecutor(conversations));
    this.#conversations = conversations;
  }

  override async sendMessage(request: SendMessageRequest, context: ServerCallContext): Promise<Message | Task> {
    if (isTaskOf(request)) return super.sendMessage(await this.#prepare(request, context), context);
    const { message } = await this.#prepare(request, context);
    const { contextId, parts } = message as Message;
    const answer = await asProtocolError(() => this.#conversations.say(callerIn(context), contextId, textOf(parts)));
    if (answer === null) throw new A2AError('The conversation was canceled before it was answered.');
    return messageOf(answer, contextId, '');
  }

  override async *sendMessageStream(
    request: SendMessageRequest,
    context: ServerCallContext,
  ): AsyncGenerator<StreamResponse, void, undefined> {
    yield* super.sendMessageStream(await this.#prepare(request, context), context);
  }

  /** Reads a message and opens its conversation before anything can fail as a task. */
  async #prepare(request: SendMessageRequest, context: ServerCallContext): Promise<SendMessageRequest> {
    const { message } = request;
    if (message === undefined || message.messageId === '') throw new RequestMalformedError('A message needs a "messageId" and "parts".');
    if (message.parts.length === 0) throw new RequestMalformedError('A message to a character needs parts such as {"text": "…"}.');
    if (message.parts.some(({ content }) => content?.$case !== 'text'))
      throw new ContentTypeNotSupportedError('A message to a character can only have parts such as {"text": "…"}.');
    if (message.contextId.length > 255) throw new RequestMalformedError('A contextId must be a string of up to 255 characters.');
    // The SDK rejects finished tasks and tasks of other callers.
    if (message.taskId !== '') return request;
    const caller = callerIn(context);
    const contextId = await asProtocolError(() => this.#conversations.open(caller, message.contextId));
    if (!this.#conversations.isWaiting(caller, contextId))
      throw new UnsupportedOperationError('The last message of this context is still being answered. Wait for it, or cancel its task.');
    return { ...request, message: { ...message, contextId } };
  }
}

class PersonaExecutor implements AgentExecutor {
  readonly #conversations: Conversations;
  readonly #running = new Map<string, { readonly caller: string; readonly contextId: string }>();

  constructor(conversations: Conversations) {
    this.#conversations = conversations;
  }

  execute = async ({ taskId, contextId, userMessage, context, task: before }: RequestContext, bus: ExecutionEventBus): Promise<void> => {
    const caller = callerIn(context);
    const update = (state: TaskState, text?: string) => bus.publish(AgentEvent.statusUpdate(statusOf(state, { taskId, contextId }, text)));
    const status = { state: TaskState.TASK_STATE_SUBMITTED, message: undefined, timestamp: new Date().toISOString() };
    bus.publish(
      AgentEvent.task(
        before ?? { id: taskId, contextId, status, artifacts: [], history: [structuredClone(userMessage)], metadata: undefined },
      ),
    );
    // A further message to a running task returns the task as it is.
    if (this.#running.has(taskId)) return;
    this.#running.set(taskId, { caller, contextId });
    update(TaskState.TASK_STATE_WORKING);
    try {
      const answer = await this.#conversations.say(caller, contextId, textOf(userMessage.parts));
      if (!this.#running.has(taskId)) return;
      if (answer === null) return update(TaskState.TASK_STATE_CANCELED, 'The conversation was canceled.');
      const artifact = {
        artifactId: 'answer',
        name: 'answer',
        description: '',
        parts: [partOf(answer)],
        metadata: undefined,
        extensions: [],
      };
      bus.publish(AgentEvent.artifactUpdate({ taskId, contextId, artifact, append: false, lastChunk: true, metadata: undefined }));
      update(TaskState.TASK_STATE_COMPLETED, answer);
    } catch (thrown) {
      if (this.#running.has(taskId)) update(TaskState.TASK_STATE_FAILED, publicSentence(thrown));
    } finally {
      this.#running.delete(taskId);
    }
  };

  cancelTask = async (taskId: string, bus: ExecutionEventBus): Promise<void> => {
    const running = this.#running.get(taskId);
    if (running === undefined) return;
    this.#running.delete(taskId);
    this.#conversations.leave(running.caller, running.contextId);
    bus.publish(AgentEvent.statusUpdate(statusOf(TaskState.TASK_STATE_CANCELED, { taskId, contextId: running.contextId })));
  };
}

/** Whether a request is stored as a task: it is non-blocking, or names an existing task. */
function isTaskOf({ configuration, message }: SendMessageRequest): boolean {
  return configuration?.returnImmediately === true || (message?.taskId ?? '') !== '';
}

function callerIn({ user }: ServerCallContext): string {
  return user?.userName ?? '';
}

function textOf(parts: readonly Part[]): string {
  return parts.map(({ content }) => (content?.$case === 'text' ? content.value : '')).join('\n');
}

function partOf(text: string): Part {
  return { content: { $case: 'text', value: text }, metadata: undefined, filename: '', mediaType: 'text/plain' };
}

function messageOf(text: string, contextId: string, taskId: string): Message {
  const message = { messageId: randomUUID(), contextId, taskId, role: Role.ROLE_AGENT, parts: [partOf(text)] };
  return { ...message, metadata: undefined, extensions: [], referenceTaskIds: [] };
}

function statusOf(state: TaskState, { taskId, contextId }: { readonly taskId: string; readonly contextId: string }, text?: string) {
  const message = text === undefined ? undefined : messageOf(text, contextId, taskId);
  return { taskId, contextId, status: { state, message, timestamp: new Date().toISOString() }, metadata: undefined };
}

/** The error details that a caller may see. */
function publicSentence(thrown: unknown): string {
  if (isFault(thrown)) return thrown.message;
  report('An A2A task', thrown);
  return 'Something went wrong on the server. See its output.';
}

/** Converts faults to protocol errors: of the request if the input is invalid, of the server otherwise. */
async function asProtocolError<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    if (isFault(thrown) && thrown.boundary === 'input') throw new RequestMalformedError(sentenceOf(thrown));
    throw new A2AError(publicSentence(thrown));
  }
}

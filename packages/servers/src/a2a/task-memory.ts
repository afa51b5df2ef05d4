/** @file Tasks of callers in memory: each caller sees only its own, and the oldest are removed when there are too many. */

import type { ListTasksRequest, ListTasksResponse, Task } from '@a2a-js/sdk';
import { InMemoryTaskStore, type ServerCallContext, type TaskStore } from '@a2a-js/sdk/server';

export class TaskMemory implements TaskStore {
  readonly #most: number;
  /** By caller and id, oldest first. */
  readonly #tasks = new Map<string, { readonly owner: string; readonly task: Task }>();

  constructor(most = 1000) {
    this.#most = most;
  }

  async load(id: string, context: ServerCallContext): Promise<Task | undefined> {
    const match = this.#tasks.get(keyOf(id, context));
    return match === undefined ? undefined : structuredClone(match.task);
  }

  async save(task: Task, context: ServerCallContext): Promise<void> {
    this.#tasks.set(keyOf(task.id, context), { owner: ownerOf(context), task: structuredClone(task) });
    for (const key of this.#tasks.keys()) {
      if (this.#tasks.size <= this.#most) return;
      this.#tasks.delete(key);
    }
  }

  /** Filtering and paging are provided by the SDK. */
  async list(request: ListTasksRequest, context: ServerCallContext): Promise<ListTasksResponse> {
    const store = new InMemoryTaskStore();
    for (const { owner, task } of this.#tasks.values()) if (owner === ownerOf(context)) await store.save(task, context);
    return store.list(request, context);
  }
}

function ownerOf({ user, tenant }: ServerCallContext): string {
  return JSON.stringify([tenant ?? '', user?.userName ?? '']);
}

function keyOf(id: string, context: ServerCallContext): string {
  return `${ownerOf(context)} ${id}`;
}

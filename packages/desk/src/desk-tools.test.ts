/** @file Desks from existing sources: an OpenAPI document, the list of an MCP server, and an SQLite file. */

import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { describe, expect, it } from 'vitest';
import { toolsFromList, toolsFromOpenApi } from './desk-tools.ts';
import { loadDesk } from './desks.ts';
import { checkDesk } from './environment/check.ts';
import { runTool } from './environment/tools.ts';

const id = { name: 'order_id', in: 'path', required: true, schema: { type: 'string' } };
const document = {
  openapi: '3.1.0',
  paths: {
    '/orders': {
      get: { operationId: 'listOrders', parameters: [{ name: 'status', in: 'query', schema: { $ref: '#/components/schemas/Status' } }] },
      post: {
        operationId: 'addOrder',
        requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Order' } } } },
      },
    },
    '/orders/{order_id}': {
      parameters: [id],
      get: { operationId: 'getOrder', summary: 'One order.' },
      patch: {
        operationId: 'changeOrder',
        requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Order' } } } },
      },
      delete: {},
    },
    '/orders/{order_id}/cancel': {
      post: {
        operationId: 'cancelOrder',
        parameters: [id],
        'x-ludus-does': { set: 'orders', id: '{order_id}', if: { status: 'pending' }, to: { status: 'cancelled' } },
      },
    },
    '/orders/{order_id}/ship': { post: { operationId: 'shipOrder', parameters: [id] } },
  },
  components: {
    schemas: {
      Status: { type: 'string', enum: ['pending', 'cancelled'] },
      Order: { type: 'object', properties: { status: { $ref: '#/components/schemas/Status' }, total: { type: 'number' } } },
    },
  },
};

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'ludus-desk-'));
  const database = new DatabaseSync(join(path, 'database.sqlite'));
  database.exec(`CREATE TABLE orders (code TEXT PRIMARY KEY, status TEXT, total REAL); CREATE TABLE lines (a INTEGER, b INTEGER, PRIMARY KEY (a, b));
    INSERT INTO orders VALUES ('A1', 'pending', 5.5), ('A2', 'cancelled', 7); INSERT INTO lines VALUES (1, 2);`);
  database.close();
  writeFileSync(join(path, 'policy.md'), '- Orders that are pending may be cancelled.\n');
  writeFileSync(join(path, 'openapi.json'), JSON.stringify(document));
  const tasks = [{ id: 'cancel', says: ['Cancel order A1.'], gold: [{ tool: 'cancelOrder', args: { order_id: 'A1' } }] }];
  writeFileSync(join(path, 'tasks.json'), JSON.stringify(tasks));
  return path;
}

describe('a desk built from an OpenAPI document and an SQLite file', () => {
  const desk = loadDesk(folder(), '/', Trust.commandLine);
  const run = (tool: string, args: object) => runTool(desk, desk.database, { tool, args: args as never });

  it('has the tables by their primary keys', () => {
    expect(desk.database).toEqual({
      orders: { A1: { status: 'pending', total: 5.5 }, A2: { status: 'cancelled', total: 7 } },
      lines: { '1/2': { a: 1, b: 2 } },
    });
  });

  it('reads, finds, adds, changes, and removes by path and method', () => {
    expect(run('getOrder', { order_id: 'A1' })).toMatchObject({ ok: true, value: { id: 'A1', total: 5.5 } });
    expect(run('listOrders', { status: 'pending' })).toMatchObject({ ok: true, value: [{ id: 'A1' }] });
    // What is not asked for narrows nothing, and changes nothing.
    expect(run('listOrders', {})).toMatchObject({ ok: true, value: [{ id: 'A1' }, { id: 'A2' }] });
    expect(run('changeOrder', { order_id: 'A1', total: 6 })).toMatchObject({ ok: true, value: { status: 'pending', total: 6 } });
    expect(run('addOrder', { status: 'pending' })).toMatchObject({ ok: true, value: { id: '3', status: 'pending' } });
    expect(run('delete_orders_order_id', { order_id: 'A2' })).toMatchObject({ ok: true });
    expect(run('cancelOrder', { order_id: 'A2' })).toMatchObject({ ok: false });
    expect(run('listOrders', { status: 'lost' })).toMatchObject({ ok: false });
    expect(run('getOrder', {})).toEqual({ ok: false, problem: 'getOrder needs "order_id".' });
  });

  it('reports a tool without a description', () => {
    const { solvable, findings } = checkDesk(desk);
    expect(solvable).toBe(1);
    expect(findings.map(({ says }) => says).filter((says) => says.includes('shipOrder'))).toEqual([expect.stringContaining('shipOrder')]);
  });

  it('rejects broken references and other kinds of documents', () => {
    const broken = { ...document, components: {} };
    expect(() => toolsFromOpenApi(broken, 'it')).toThrow('#/components/schemas/Status points to nothing');
    expect(() => toolsFromOpenApi({ swagger: '2.0', paths: {} }, 'it')).toThrow('Swagger 2');
    const path = mkdtempSync(join(tmpdir(), 'ludus-desk-'));
    mkdirSync(join(path, 'database'));
    writeFileSync(join(path, 'policy.md'), '- x');
    writeFileSync(join(path, 'database.sqlite'), 'this is not a database');
    expect(() => loadDesk(path, '/', Trust.commandLine)).toThrow('cannot be read as an SQLite database');
  });
});

describe('the tools of an MCP server', () => {
  it('act on the desk tables as their names say, or do nothing if unclear', () => {
    const list = (name: string, ...takes: readonly string[]) => ({
      ...{ name, description: '' },
      parameters: { type: 'object', properties: Object.fromEntries(takes.map((key) => [key, {}])) },
    });
    const deskTools = toolsFromList(
      [
        ...[
          list('get_order', 'order_id'),
          list('findOrders', 'status'),
          list('update_order', 'id', 'status'),
          list('delete_order', 'order_id'),
        ],
        ...[list('create_order', 'total'), list('get_order', 'email'), list('cancel_order', 'order_id'), list('get_weather', 'city')],
      ],
      ['orders'],
    );
    expect(deskTools.map(({ does }) => does)).toEqual([
      { get: 'orders', id: '{order_id}' },
      { find: 'orders', where: { status: '{status}' } },
      { set: 'orders', id: '{id}', to: { status: '{status}' } },
      { remove: 'orders', id: '{order_id}' },
      { add: 'orders', to: { total: '{total}' } },
      { find: 'orders', where: { email: '{email}' } },
      { returns: null },
      { returns: null },
    ]);
  });
});

/** @file The fields of every file that Ludus reads, from the JSON Schemas of the package. The site has a page for each kind of file. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Schema {
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly required?: readonly string[];
}

const folder = join(import.meta.dirname, '../../packages/ludus-agents/schemas');

/** The kinds of files, such as "suite". */
export function schemaNames(): readonly string[] {
  return readdirSync(folder).flatMap((name) => (name.endsWith('.json') ? [name.replace(/\.json$/, '')] : []));
}

function typeOf(schema: Schema): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined)
    return schema.enum.length > 12 ? 'one of several names' : schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  if (schema.anyOf !== undefined) return [...new Set(schema.anyOf.map(typeOf))].join(' | ');
  if (schema.items !== undefined) return `list of ${typeOf(schema.items)}`;
  return [schema.type ?? 'any'].flat().join(' | ');
}

/** One list item per field. Fields of objects, of list items, and of alternatives are indented below it. */
function fieldsOf(schema: Schema, depth: number): readonly string[] {
  const ownItems = Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const required = schema.required?.includes(name) === true ? ', required' : '';
    const about = field.description === undefined ? '' : `: ${field.description.replaceAll('<', '&lt;').replaceAll('{{', '{ {')}`;
    return [
      `${'  '.repeat(depth)}- \`${name}\` (\`${typeOf(field)}\`${required})${about}`,
      ...(depth < 3 ? fieldsOf(field, depth + 1) : []),
    ];
  });
  const nested = [
    schema.items,
    ...(schema.anyOf ?? []),
    ...(typeof schema.additionalProperties === 'object' ? [schema.additionalProperties] : []),
  ];
  return [...new Set([...ownItems, ...nested.flatMap((part) => (part === undefined ? [] : fieldsOf(part, depth)))])];
}

/** The text of a page. */
export function schemaPage(name: string): string {
  const schema = JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8')) as Schema;
  const intro = schema.description === undefined ? '' : `${schema.description}\n\n`;
  const use = `Name the schema in a file to get completion in your editor:\n\n\`\`\`json\n{ "$schema": "./node_modules/ludus-agents/schemas/${name}.json" }\n\`\`\`\n`;
  return `# Fields of a ${name} file\n\n${intro}${use}\n${fieldsOf(schema, 0).join('\n')}\n`;
}

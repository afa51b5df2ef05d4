/**
 * @file Which key is sent to which server. A key belongs to the origin it was configured for, and is sent nowhere else: a plan, a persona,
 * or an imported run may name any address, and must not receive a key.
 */

import type { EnvVars } from './local.ts';

/** The key for servers named by their address: only for the origins in LUDUS_API_URL. */
export const addressKey = 'LUDUS_API_KEY';
export const addressPlace = 'LUDUS_API_URL';

/** The key of a Tinker server: for servers on this machine, and for the origin in TINKER_BASE_URL. */
export const tinkerKey = 'TINKER_API_KEY';
export const tinkerPlace = 'TINKER_BASE_URL';

/** The origin of an address; null if it has none that a key could be bound to. */
export function originOf(address: string): string | null {
  const url = URL.parse(address.trim());
  return url !== null && (url.protocol === 'http:' || url.protocol === 'https:') ? url.origin : null;
}

/** The variable of a key bound to one origin by "ludus config keys set ORIGIN". */
export function originVariable(origin: string): string {
  return `${addressKey}@${origin}`;
}

/** The variable whose key may be sent to an address; undefined if there is none. */
export function keyVariableFor(address: string, env: EnvVars): string | undefined {
  const origin = originOf(address);
  if (origin === null) return undefined;
  if (isSet(env, originVariable(origin))) return originVariable(origin);
  return isSet(env, addressKey) && boundOrigins(env).includes(origin) ? addressKey : undefined;
}

/** The variable whose key may be sent to a Tinker server; undefined if there is none. */
export function tinkerKeyFor(origin: string, env: EnvVars): string | undefined {
  if (isSet(env, originVariable(origin))) return originVariable(origin);
  const isHere = /^https?:\/\/(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/.test(origin);
  return isHere || originOf(env[tinkerPlace] ?? '') === origin ? tinkerKey : undefined;
}

/** Explains that a key exists, but not for this address; undefined if there is nothing to explain. */
export function keyElsewhere(address: string, env: EnvVars): string | undefined {
  const origin = originOf(address);
  if (origin === null || !isSet(env, addressKey) || keyVariableFor(address, env) !== undefined) return undefined;
  const bound = boundOrigins(env);
  const where = bound.length === 0 ? `to no server, since ${addressPlace} is not set` : `to ${bound.join(', ')}`;
  return `The key in ${addressKey} is bound ${where}, so it is not sent to ${origin}. Save a key for it with "ludus config keys set ${origin}", or set ${addressPlace} to it.`;
}

function boundOrigins(env: EnvVars): readonly string[] {
  return originsIn(env[addressPlace]);
}

function originsIn(text = ''): readonly string[] {
  return text
    .split(/[\s,]+/)
    .map(originOf)
    .filter((origin) => origin !== null);
}

function isSet(env: EnvVars, name: string): boolean {
  return (env[name]?.trim() ?? '') !== '';
}

/** Well-known keys and the servers they are for; a variable may name another server of the same provider. */
const knownKeys: Readonly<Record<string, { readonly origins: readonly string[]; readonly variable?: string }>> = {
  OPENAI_API_KEY: { origins: ['https://api.openai.com'], variable: 'OPENAI_BASE_URL' },
  ANTHROPIC_API_KEY: { origins: ['https://api.anthropic.com'], variable: 'ANTHROPIC_BASE_URL' },
  GOOGLE_GENERATIVE_AI_API_KEY: { origins: ['https://generativelanguage.googleapis.com'], variable: 'GEMINI_BASE_URL' },
  GEMINI_API_KEY: { origins: ['https://generativelanguage.googleapis.com'], variable: 'GEMINI_BASE_URL' },
  MISTRAL_API_KEY: { origins: ['https://api.mistral.ai'] },
  XAI_API_KEY: { origins: ['https://api.x.ai'] },
  GROQ_API_KEY: { origins: ['https://api.groq.com'] },
  DEEPSEEK_API_KEY: { origins: ['https://api.deepseek.com'] },
  OPENROUTER_API_KEY: { origins: ['https://openrouter.ai'] },
  TOGETHER_API_KEY: { origins: ['https://api.together.xyz', 'https://api.together.ai'] },
  FIREWORKS_API_KEY: { origins: ['https://api.fireworks.ai'] },
  COHERE_API_KEY: { origins: ['https://api.cohere.com', 'https://api.cohere.ai'] },
  HF_TOKEN: { origins: ['https://huggingface.co', 'https://router.huggingface.co'], variable: 'HF_ENDPOINT' },
  GITHUB_TOKEN: { origins: ['https://models.github.ai', 'https://models.inference.ai.azure.com'] },
  [addressKey]: { origins: [], variable: addressPlace },
  [tinkerKey]: { origins: [], variable: tinkerPlace },
  LUDUS_TOKEN: { origins: [] },
  AWS_SECRET_ACCESS_KEY: { origins: [] },
  AWS_SESSION_TOKEN: { origins: [] },
  GH_TOKEN: { origins: [] },
  NPM_TOKEN: { origins: [] },
};

/** Why a well-known key may not be sent to an address; null if it may, and for other variables. */
export function keyRefusal(key: string, address: string, env: EnvVars): string | null {
  const knownKey = Object.hasOwn(knownKeys, key) ? knownKeys[key] : undefined;
  const origin = originOf(address);
  if (knownKey === undefined || origin === null) return null;
  const origins = [...knownKey.origins, ...(knownKey.variable === undefined ? [] : originsIn(env[knownKey.variable]))];
  if (origins.includes(origin)) return null;
  const where = origins.length === 0 ? 'to no server here' : `to ${origins.join(', ')} only`;
  return `${key} is sent ${where}, not to ${origin}. Save a key for that server with "ludus config keys set ${origin}"; the endpoint then needs no "key".`;
}

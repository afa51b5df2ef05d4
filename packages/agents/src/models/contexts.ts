/** @file Context sizes of hosted models, by name, for servers that do not report them. Sizes include prompt and answer. */

/**
 * The first row whose pattern matches the name applies. Providers change these rarely; a "context" in the configuration takes precedence.
 */
const table: readonly (readonly [RegExp, number])[] = [
  [/gpt-5/, 400_000],
  [/gpt-4\.1/, 1_047_576],
  [/gpt-4o|gpt-4-turbo|chatgpt-4o/, 128_000],
  [/gpt-4-32k/, 32_768],
  [/gpt-4(?![.o\d])/, 8_192],
  [/gpt-3\.5/, 16_385],
  [/gpt-oss/, 131_072],
  [/(?:^|[/-])o[134](?:-|$)/, 200_000],
  [/claude/, 200_000],
  [/gemini-(?:1\.5|2|3)/, 1_048_576],
  [/deepseek/, 65_536],
  [/mistral-large|mistral-medium|mistral-small/, 131_072],
  [/grok/, 131_072],
  [/command-r|command-a/, 128_000],
];

/** The context of a hosted model, or undefined if its name is unknown. */
export function hostedContext(name: string): number | undefined {
  const matches = table.find(([pattern]) => pattern.test(name.toLowerCase()));
  return matches?.[1];
}

const seers =
  /gpt-4o|gpt-4\.1|gpt-4-turbo|gpt-5|(?:^|[/-])o[134](?:-|$)(?!mini)|claude|gemini|[-_]vl|vl[-_:]|vision|llava|pixtral|mistral-(?:small|medium)-(?:3|2[5-9])|gemma-?3(?!.{0,80}(?:1b|270m))|minicpm-v|internvl|smolvlm|moondream|kimi-(?:vl|k2\.5)|qwen2\.5-omni|llama-?4|showui|ui-tars/;

/** Whether the name shows that the model accepts images; otherwise a setting of the agent can say so. */
export function seesByName(name: string): boolean {
  return seers.test(name.toLowerCase());
}

const thinkers =
  /qwen-?3(?!.{0,80}instruct)|qwq|deepseek-r|(?:^|[/:-])r1(?:[-:]|$)|gpt-5|gpt-oss|(?:^|[/-])o[134](?:-|$)|magistral|smollm3|think|reason|phi-4-mini-r|exaone-deep/;

/** Whether the name shows that the model thinks before it answers. Its thoughts count toward an answer's limit. */
export function thinksByName(name: string): boolean {
  return thinkers.test(name.toLowerCase());
}

/** @file The syntax tree of the small language. */

export type Expression =
  | { readonly type: 'value'; readonly value: number | string | boolean | null | undefined }
  | { readonly type: 'name'; readonly name: string }
  | { readonly type: 'list'; readonly items: readonly Expression[] }
  | { readonly type: 'object'; readonly entries: readonly (readonly [string | null, Expression])[] }
  | { readonly type: 'spread'; readonly of: Expression }
  | { readonly type: 'function'; readonly name: string; readonly parameters: readonly string[]; readonly body: readonly SyntaxStatement[] }
  | { readonly type: 'unary'; readonly sign: string; readonly of: Expression }
  | { readonly type: 'binary'; readonly sign: string; readonly left: Expression; readonly right: Expression }
  | { readonly type: 'logical'; readonly sign: string; readonly left: Expression; readonly right: Expression }
  | { readonly type: 'choice'; readonly test: Expression; readonly yes: Expression; readonly no: Expression }
  | { readonly type: 'assign'; readonly sign: string; readonly to: Expression; readonly value: Expression }
  | { readonly type: 'update'; readonly sign: string; readonly to: Expression; readonly first: boolean }
  | { readonly type: 'call'; readonly of: Expression; readonly given: readonly Expression[] }
  | { readonly type: 'member'; readonly of: Expression; readonly key: Expression };

export type SyntaxStatement =
  | { readonly type: 'let'; readonly constant: boolean; readonly names: readonly (readonly [string, Expression | null])[] }
  | { readonly type: 'declare'; readonly name: string; readonly value: Expression }
  | { readonly type: 'do'; readonly value: Expression }
  | { readonly type: 'if'; readonly test: Expression; readonly yes: SyntaxStatement; readonly no: SyntaxStatement | null }
  | { readonly type: 'while'; readonly test: Expression; readonly body: SyntaxStatement }
  | {
      readonly type: 'for';
      readonly first: SyntaxStatement | null;
      readonly test: Expression | null;
      readonly next: Expression | null;
      readonly body: SyntaxStatement;
    }
  | {
      readonly type: 'of';
      readonly names: readonly string[];
      readonly split: boolean;
      readonly list: Expression;
      readonly body: SyntaxStatement;
    }
  | { readonly type: 'return'; readonly value: Expression | null }
  | { readonly type: 'throw'; readonly value: Expression }
  | { readonly type: 'break' }
  | { readonly type: 'continue' }
  | { readonly type: 'import'; readonly names: readonly string[]; readonly from: string }
  | { readonly type: 'block'; readonly body: readonly SyntaxStatement[] };

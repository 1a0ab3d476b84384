// How an agent says which commands it takes, and what that means for the arguments of its handlers.

export type { DeclaredArgument as ArgumentDeclaration } from '@weft/contract/declared-commands';

/** A name, or all that Weft should know about the arguments: `params`, and the `parameter` that the command sets. */
export type CommandDeclaration = string | ({ name: string } & Record<string, unknown>);

type ValueOf<Argument> = Argument extends { enum: readonly (infer Value)[] }
  ? Value
  : Argument extends { type: 'number' | 'integer' }
    ? number
    : Argument extends { type: 'string' }
      ? string
      : Argument extends { type: 'boolean' }
        ? boolean
        : unknown;

/** What a handler is given. Weft refuses commands without an argument that is not `optional`; older versions of it do not. */
export type ArgumentsOf<Declaration> = Declaration extends { params: infer Params }
  ? { [Name in keyof Params]?: ValueOf<Params[Name]> }
  : Record<string, unknown>;

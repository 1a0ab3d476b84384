// The options of an Agent, and how it says which commands it takes.
import type { IgnoredField } from '@weft/contract';

export interface AgentOptions {
  /** Where Weft is, such as https://weft.example.org. */
  url: string;
  /** PEM of the one certificate that may answer, whatever host it names; default: the usual authorities count. */
  trustedCertificate?: string | undefined;
  ap_id: string;
  password: string;
  /** Tried if Weft refuses `password`: the one before, when it is not known whether Weft has taken the new one. */
  formerPassword?: string | undefined;
  /**
   * Stores a secret that Weft offers in place of a password that somebody chose, together with the password of now. Weft
   * is told once it resolves. Without it, offers are not asked for.
   */
  keepSecret?: ((secret: string, password: string) => void | Promise<void>) | undefined;
  /** Registers the access point first, if it is not registered. */
  enrolmentToken?: string;
  /** Merged into the agent's configuration at the start, together with the commands and metrics. */
  configuration?: Record<string, unknown>;
  /** How many reports may wait for Weft in memory, also while it is away; default: 10,000. */
  maxWaitingReports?: number;
  /**
   * A folder in which reports wait while Weft is away, and commands that were done are remembered, beyond the end of the
   * process. One process at a time may use it for an access point.
   */
  spoolDir?: string;
  /** How much may wait there; default: 64 MiB. */
  spoolMaxBytes?: number;
  /** While this is true, commands are ignored as if they had been lost: not even their receipt is acknowledged. */
  isDeaf?: () => boolean;
  /** How long Weft may take to answer a report before the channel is opened again and it is sent again; default: 60,000. */
  answerTimeoutMs?: number;
  backOff?: { firstMs?: number; longestMs?: number };
  /** Weft left this field out of a report; called once for each field and reason. Default: a warning of the process. */
  onIgnored?: (field: IgnoredField) => void;
  onConnected?: () => void;
  onDisconnected?: (code: number, reason: string) => void;
  /** Something did not work, and is tried again; or a report that waited on disk was refused. */
  onError?: (error: Error) => void;
}

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

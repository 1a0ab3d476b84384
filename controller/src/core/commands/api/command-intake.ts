// From a request to a command that can be decided about: validates what the caller may send and what the agent supports,
// and finds the parameter.
import { defaultParameter, inverseOf, toCommandText } from '@weft/contract/declared-commands';
import { looksLikeAddress } from '@weft/contract/device-address';
import type { Caller } from '../../base/caller.ts';
import { PermissionError, TryLaterError, ValidationError, WeftError } from '../../base/errors.ts';
import { invalidValue, valueError } from '../../base/input/value-rules.ts';
import { rightsOf } from '../../base/rights/rights.ts';
import type { Keyring } from '../../base/secrets.ts';
import type { RateLimiter } from '../../base/shares/rate-limiter.ts';
import { principalOf } from '../../base/shares/shares.ts';
import type { DeviceNames } from '../../devices/privacy/device-names.ts';
import type { AgentRow } from '../../network/agent-rows.ts';
import type { Network } from '../../network/network.ts';
import type { Sight } from '../../network/sight.ts';
import { positionOf } from '../arbitration/surroundings.ts';
import { requireCommandPermission, standingOf } from '../grammar/command-permissions.ts';
import { type ParsedCommand, parameterOfText } from '../grammar/command-text.ts';
import { isDeviceCommand, steerDevice } from '../grammar/device-commands.ts';
import { parseGuard } from '../grammar/guard-expression.ts';
import type { Want } from '../grammar/requested-value.ts';
import { requireDeclared } from '../grammar/require-declared.ts';
import { withoutSecretArguments } from '../grammar/secret-arguments.ts';
import type { NewCommand } from '../ledger/new-command.ts';
import { orderedUuid } from '../ledger/ordered-uuid.ts';
import { seal } from '../ledger/sent-command.ts';

type Loc = (string | number)[];
export interface SendOptions {
  hold_seconds?: number | undefined;
  expires_in?: number | undefined;
  idempotency_key?: string | undefined;
  guard?: string | undefined;
  batch_id?: string | undefined;
}

export interface CommandIntakeOptions {
  network: Pick<Network, 'visibleTo'>;
  /** Of each app. */
  rate: RateLimiter;
  keyring: Pick<Keyring, 'encrypt' | 'fingerprint'>;
  /** How callers name devices; default: any text. */
  names?: Pick<DeviceNames, 'read'> | undefined;
  now?: () => number;
}

const defaultExpiryS = 600;
/** Sent twice, they are wanted twice. */
const actions: ReadonlySet<string> = new Set(['reboot', 'identify']);

export class CommandIntake {
  readonly #options: CommandIntakeOptions;
  readonly #now: () => number;

  constructor(options: CommandIntakeOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  /** Throws what is wrong with it for this caller, whatever the agent. */
  requireSendable(caller: Caller, command: ParsedCommand, { guard }: SendOptions): void {
    if (guard !== undefined) parseGuard(guard);
    const { name, spelled = name, args } = command;
    try {
      requireCommandPermission(caller, { name, args });
    } catch (error) {
      // Which of the two spellings it is, the agent's list decides.
      if (spelled === name) throw error;
      requireCommandPermission(caller, { name: spelled, args });
    }
  }

  /** Counts a command of an app. Throws TryLaterError 429 `too_many_commands`. */
  takeTurn(caller: Caller): void {
    if (rightsOf(caller).app) this.#options.rate.take(principalOf(caller));
  }

  /** Throws NotFoundError, and PermissionError for a user who may see the agent and not command it. */
  async target(
    caller: Caller,
    ap_id: string,
    command: ParsedCommand,
    loc: Loc = ['query', 'command'],
  ): Promise<AgentRow> {
    const sight = await this.#options.network.visibleTo(caller);
    const { rights } = sight;
    const isPerson = rights.isUser && !rights.isAdmin;
    // Who sees every agent has nothing to be hidden from, and learns of no right that it has not.
    if (isPerson && !sight.operates(ap_id) && (sight.seesAll || sight.sees(ap_id))) throw notYours();
    const agent = sight.require(ap_id);
    requireKnownTarget(sight, command, loc);
    return agent;
  }

  /**
   * What brings a device back that is moved from here: a command to where it goes. Undefined for all other commands, and if the
   * caller may not send that one, or the access point does not know it.
   */
  async wayBack(caller: Caller, ap_id: string, command: ParsedCommand): Promise<Want | undefined> {
    const { device, target } = command.args;
    if (command.name !== steerDevice || typeof target !== 'string' || target === ap_id) return undefined;
    const args = { device, target: ap_id };
    const back = { ...command, args, text: toCommandText(steerDevice, args) };
    try {
      const { intent } = this.toNewCommand(caller, await this.target(caller, target, back), back, {});
      return { name: steerDevice, args: intent.args };
    } catch (error) {
      if (error instanceof TryLaterError || !(error instanceof WeftError)) throw error;
      return undefined;
    }
  }

  /** A device is named by its pseudonym. Throws ValidationError for an address, which would be stored and logged. */
  #withDeviceName(command: ParsedCommand, loc: Loc): ParsedCommand {
    const { name, args, text } = command;
    if (!this.#options.names || !isDeviceCommand(name)) return command;
    const { device, ...others } = args;
    // Also in free text, and under any other key.
    if (looksLikeAddress(JSON.stringify(others))) throw addressInCommand(loc);
    if (typeof device !== 'string') {
      if (device !== undefined && looksLikeAddress(JSON.stringify(device))) throw addressInCommand(loc);
      return command;
    }
    const named = { ...args, device: this.#options.names.read(device, [...loc, 'device']) };
    return { ...command, args: named, text: named.device === device ? text : toCommandText(name, named) };
  }

  /** Throws ValidationError if the agent does not know the command, or not these arguments. */
  toNewCommand(
    caller: Caller,
    agent: AgentRow,
    command: ParsedCommand,
    options: SendOptions,
    loc: Loc = ['query', 'command'],
  ): NewCommand {
    const { ap_id } = agent;
    // Agents may pass the text on to a shell or a serial line: what is one command here must not be two there.
    if (command.hasLines && !agent.isMultiline) {
      throw invalidValue(loc, 'a command to this agent is one line: its configuration does not say `multiline: true`');
    }
    const declared = agent.commands;
    const { name: called, args, text } = this.#withDeviceName(asDeclared(command, declared), loc);
    const declaration = requireDeclared(declared, { name: called, args }, loc);
    requireCommandPermission(caller, { name: called, args });
    const now = this.#now();
    const command_id = orderedUuid(now);
    // Of each caller its own: a verdict must not tell one caller whether it has guessed the secret of another.
    const shown = withoutSecretArguments({ name: called, args }, declaration ?? null, (value) =>
      this.#options.keyring.fingerprint(JSON.stringify([caller.kind, caller.id, value])),
    );
    const isText = command.isFreeText === true && !declared;
    const hasSecrets = shown !== args;
    const { kind, id, name } = caller;
    const guard = options.guard ?? null;
    const inverse = declaration && inverseOf(declaration, declared!);
    return {
      intent: {
        command_id,
        ap_id,
        ...positionOf(agent),
        name: called,
        args: shown,
        parameter: declaration?.parameter ?? (isText ? parameterOfText(command) : defaultParameter(called)),
        ...(isText && { is_text: true }),
        ...((command.isFreeText || actions.has(called)) && { is_action: true }),
        caller_kind: kind,
        caller_id: id,
        caller_name: name,
        ...standingOf(caller),
        hold_seconds: options.hold_seconds ?? null,
        expires_at: now + (options.expires_in ?? defaultExpiryS) * 1000,
        declaration: declaration ?? null,
      },
      text: hasSecrets ? toCommandText(called, shown) : text,
      sealed: hasSecrets ? seal(this.#options.keyring, command_id, { text, args }) : null,
      agent_id: agent.id,
      owner_kind: kind === 'user' ? 'user' : 'third_party_app',
      owner_id: id,
      owner_name: name,
      owner_ver: caller.ver,
      idempotency_key: options.idempotency_key ?? null,
      guard,
      settle_ms: guard === null ? null : agent.settleMs,
      batch_id: options.batch_id ?? null,
      inverse_of: null,
      inverse: inverse === undefined ? undefined : { name: inverse, args: {} },
    };
  }
}

/** Throws ValidationError if a device is to be moved to an access point that the caller does not see. */
function requireKnownTarget(sight: Sight, { name, args: { target } }: ParsedCommand, loc: Loc): void {
  if (name !== steerDevice || typeof target !== 'string' || sight.get(target)) return;
  throw invalidValue([...loc, 'target'], 'there is no access point with this name');
}

/** Free text names a command in any letters; one that the agent lists in exactly these letters is meant. */
function asDeclared(command: ParsedCommand, declared: ReadonlyMap<string, unknown> | undefined): ParsedCommand {
  const { spelled } = command;
  return spelled !== undefined && declared?.has(spelled) ? { ...command, name: spelled } : command;
}

function addressInCommand(loc: Loc): ValidationError {
  const error = 'a command must not contain an address of a device: name it by its pseudonym, as the argument `device`';
  return new ValidationError([valueError(loc, error)], 'device_address');
}

function notYours(): PermissionError {
  return new PermissionError(
    'not_permitted',
    'Users may send commands to the emulated agents of their own networks, and where an administrator has granted it',
  );
}

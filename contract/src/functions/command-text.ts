// A command as text, as `send_command` takes it: a bare name, or JSON with the arguments beside the name.

export function toCommandText(name: string, args: Record<string, unknown> = {}): string {
  return Object.keys(args).length === 0 ? name : JSON.stringify({ ...args, name });
}

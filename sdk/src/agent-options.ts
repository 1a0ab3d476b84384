// What an Agent may be told when it is made.

export interface AgentOptions {
  /** Where Weft is, such as https://weft.example.org. */
  url: string;
  /** PEM of the one certificate that may answer, whatever host it names; the usual authorities count unless given. */
  trustedCertificate?: string | undefined;
  ap_id: string;
  password: string;
  /** Registers the access point first, if it is not registered. */
  enrolmentToken?: string;
  /** Merged into the agent's configuration at the start, together with the commands and metrics. */
  configuration?: Record<string, unknown>;
  /** How many reports may wait for Weft in memory, also while it is away; 10,000 unless told. */
  maxWaitingReports?: number;
  /**
   * A folder in which reports wait while Weft is away, and commands that were done are remembered, beyond the end of the
   * process. One process at a time may use it for an access point.
   */
  spoolDir?: string;
  /** How much may wait there; 64 MiB unless told. */
  spoolMaxBytes?: number;
  /** A command that comes while this is true is as good as lost on the way: not even its receipt is told. */
  isDeaf?: () => boolean;
  /** How long Weft may take to answer a report before the channel is opened again and it is sent again; default: 60,000. */
  answerTimeoutMs?: number;
  backOff?: { firstMs?: number; longestMs?: number };
  onConnected?: () => void;
  onDisconnected?: (code: number, reason: string) => void;
  /** Something did not work, and is tried again; or a report that waited on disk was refused. */
  onError?: (error: Error) => void;
}

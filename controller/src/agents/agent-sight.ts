// What a caller sees of the network at one moment, for features that show access points inside of something else.

export interface AgentSight {
  /** Whether nothing is hidden from the caller. */
  seesAll: boolean;
  isSeen(ap_id: string): boolean;
  /** Whether it matches the selector that was asked for. */
  isSelected(ap_id: string): boolean;
  typeOf(ap_id: string): string | null;
}

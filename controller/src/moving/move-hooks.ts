/** How whoever runs a move follows it, and ends it early. */
export interface MoveHooks {
  onStage: (text: string) => void;
  onProgress: (share: number | undefined, text: string) => void;
  signal?: AbortSignal | undefined;
}

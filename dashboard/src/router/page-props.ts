// What every page is given.
export interface PageProps {
  /** What stands for the names in the path, decoded. */
  params: Record<string, string>;
}

// Style sheets are imported for their effect only.
declare module '*.css';
// Files that the build leaves as they are and that the map fetches.
declare module '*.json?url' {
  const address: string;
  export default address;
}

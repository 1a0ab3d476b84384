// Texts of components and of the frame around the pages that several places show.

export const failureText = {
  unreachable: 'Weft cannot be reached.',
  again: 'Try again',
};

export const componentText = {
  states: {
    online: 'Online',
    late: 'Late',
    offline: 'Offline',
    asleep: 'Asleep',
    never: 'No report yet',
    ended: 'Ended',
  },
  unknownTechnology: 'Unknown type',
  selector: { match: (count: string) => `${count} match.` },
  severities: { critical: 'Critical', major: 'Major', minor: 'Minor', warning: 'Warning', info: 'Info' },
  cancel: 'Cancel',
  loading: 'Loading',
  more: (count: string) => `and ${count} more`,
  progress: (done: string, total: string) => `${done} of ${total}`,
  table: { filter: 'Filter' },
};

export const shellText = {
  product: 'Weft',
  themes: { system: 'System setting', light: 'Light', dark: 'Dark' },
  administrator: 'Administrator',
  user: 'User',
  signOut: 'Sign out',
};

export const sessionText = {
  password: 'Password',
  signIn: 'Sign in',
};

export const mapText = {
  zoomIn: 'Zoom in',
  zoomOut: 'Zoom out',
};

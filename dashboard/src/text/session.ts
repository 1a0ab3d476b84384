// Texts of signing in and everything around it.
export const sessionText = {
  tagline: 'One controller for 5G, WiFi and LiFi',
  username: 'E-mail address',
  password: 'Password',
  newPassword: 'New password',
  signIn: 'Sign in',
  signUp: 'Create account',
  forgot: 'Forgot your password?',
  noAccount: 'No account yet?',
  haveAccount: 'Already have an account?',
  back: 'Back to sign in',
  signedOutElsewhere: 'You signed out in another tab.',
  signedOut: 'You are signed out.',
  firstRun: {
    title: 'Create the administrator',
    words: 'This installation has no accounts yet. The administrator manages it and can add other users.',
    code: 'Set-up code',
    codeHint: 'Weft printed it when it started.',
    submit: 'Create administrator',
  },
  recover: {
    words: 'Enter your e-mail address. If it has an account, you receive a link within a minute.',
    submit: 'Send link',
    sent: 'Check your e-mail',
    sentWords:
      'The link is valid for 60 minutes. No message? Check the address, or ask your administrator: without a mail server, Weft stores messages in its outbox folder.',
  },
  reset: {
    words: 'After this, sign in with the new password. All sessions of this account end.',
    submit: 'Change password',
    done: 'Password changed',
    noToken: 'This link is incomplete',
    noTokenWords: 'Open the full link from the e-mail, or request a new one.',
    again: 'Request a new link',
  },
  expired: {
    title: 'Sign in to continue',
    words: 'Your session has ended. This page and your input are kept.',
    other: 'Sign in as another user',
  },
};

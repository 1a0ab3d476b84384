// Words of signing in and everything around it.
export const sessionText = {
  tagline: 'One fabric of 5G, WiFi and LiFi',
  username: 'E-mail address',
  password: 'Password',
  newPassword: 'New password',
  signIn: 'Sign in',
  signUp: 'Create account',
  forgot: 'Forgot your password?',
  noAccount: 'No account yet?',
  haveAccount: 'You have an account?',
  back: 'Back to sign in',
  signedOutElsewhere: 'You signed out in another tab.',
  signedOut: 'You are signed out.',
  firstRun: {
    title: 'Create the administrator',
    words: 'Nobody has an account here yet. The first one owns this installation and can invite others.',
    code: 'Set-up code',
    codeHint: 'Weft printed it where it was started.',
    submit: 'Create administrator',
  },
  recover: {
    words: 'Tell us your address. If there is an account, a message with a link is on its way within a minute.',
    submit: 'Send the link',
    sent: 'Look into your mail',
    sentWords:
      'The link in it is good for 60 minutes. Nothing there? Check the address, or ask whoever runs this Weft: without a mail server, messages wait in its outbox folder.',
  },
  reset: {
    words: 'After this, sign in with the new password. Everybody who was signed in with the old one is signed out.',
    submit: 'Change password',
    done: 'Your password has been changed',
    noToken: 'This link is not complete',
    noTokenWords: 'Open the whole link from the message, or ask for a new one.',
    again: 'Ask for a new link',
  },
  expired: {
    title: 'Sign in to go on',
    words: 'Your session has ended. This page and what you typed stay as they are.',
    other: 'Sign in as somebody else',
  },
};

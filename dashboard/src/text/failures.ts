// Words for what went wrong, wherever it did.
export const failureText = {
  unreachable: 'Weft cannot be reached.',
  tryAgain: 'Try again in a moment.',
  again: 'Try again',
  details: 'Details',
  tryIn: (span: string) => `Try again in ${span}.`,
  lookInLog: (requestId: string) => `The server’s log has more under request ${requestId}.`,
  ownMistake: (detail: string) => `The dashboard made a mistake: ${detail}`,
  partMissing: 'This part of the dashboard could not be loaded.',
  status: (status: number) => `The server answered with status ${status}.`,
  /** By the server's word for it, where that says more than the status. */
  nextStepsByCode: {
    part_missing: 'Weft cannot be reached, or has been updated. The page is loaded anew once it answers.',
    invalid_credentials: 'Check both and try again, or choose a new password below.',
    account_disabled: 'Ask one, then sign in with the password that you have.',
  } as Record<string, string>,
  nextSteps: {
    0: 'Check that the server runs and that you are connected; this page tries again by itself.',
    400: 'Check what you gave and try again.',
    401: 'Sign in again.',
    403: 'Ask an administrator for the right to do this.',
    404: 'It may have been removed. Go back to the list.',
    409: 'Look at how things stand now, then decide again.',
    413: 'Send less at once.',
    422: 'Correct what is marked and try again.',
    429: 'Wait a little, then try again.',
    500: 'Try again; if it stays, look into the server’s log.',
    503: 'Weft is not ready; this page tries again by itself.',
  } as Record<number, string>,
};

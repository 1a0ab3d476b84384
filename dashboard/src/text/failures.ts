// Texts for errors, wherever they occur.
export const failureText = {
  unreachable: 'Weft cannot be reached.',
  tryAgain: 'Try again in a moment.',
  again: 'Try again',
  details: 'Details',
  tryIn: (span: string) => `Try again in ${span}.`,
  lookInLog: (requestId: string) => `For details, search the server log for request ${requestId}.`,
  ownMistake: (detail: string) => `Error in the dashboard: ${detail}`,
  partMissing: 'This part of the dashboard could not be loaded.',
  status: (status: number) => `The server answered with status ${status}.`,
  /** By error code, where that says more than the status. */
  nextStepsByCode: {
    part_missing: 'Weft cannot be reached or has been updated. This page reloads when Weft answers.',
    invalid_credentials: 'Check the e-mail address and the password, or reset your password below.',
    account_waiting: 'Ask an administrator to approve it under Users, then sign in.',
    too_many_waiting_users: 'Ask an administrator to approve or refuse the accounts that wait, under Users.',
    account_disabled: 'Ask an administrator to enable it, then sign in with your current password.',
  } as Record<string, string>,
  nextSteps: {
    0: 'Check that the server is running and that you are connected. This page retries automatically.',
    400: 'Check your input and try again.',
    401: 'Sign in again.',
    403: 'Ask an administrator for permission.',
    404: 'It may have been removed. Go back to the list.',
    409: 'Check the current state, then try again.',
    413: 'Send less data at once.',
    422: 'Correct the marked fields and try again.',
    429: 'Wait a moment, then try again.',
    500: 'Try again. If the error persists, check the server log.',
    503: 'Weft is not ready. This page retries automatically.',
  } as Record<number, string>,
};

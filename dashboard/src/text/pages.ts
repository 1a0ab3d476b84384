// The names of the pages, as navigation, search and titles show them.
export const pageTitles = {
  overview: 'Overview',
  agents: 'Agents',
  agent: 'Agent',
  signIn: 'Sign in',
  signUp: 'Create an account',
  recoverPassword: 'Forgot your password?',
  resetPassword: 'Choose a new password',
};

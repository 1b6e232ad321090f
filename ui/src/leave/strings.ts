/** Texts of the page that links of saved pages open. */
export const strings = {
  title: "You're leaving eRACE",
  lead: 'This link was in a saved page. It leads to another site:',
  address: 'Full address',
  open: (host: string) => `Open ${host}`,
  stay: 'Close this tab to stay. The site is not contacted until you open it, and is not told where you came from.',
  unicode: (name: string) => `Its name is shown as ${name}, with letters beyond a to z. It may imitate another site.`,
  user: (host: string) => `The part before @ is a user name, not the site. The site is ${host}.`,
  plain: 'The connection is not encrypted.',
  mailTitle: 'An email address',
  mailLead: 'This link was in a saved page. It starts a message to:',
  mailStay: 'Copy the address if you want to write to it.',
  noneTitle: 'This link leads nowhere',
  noneLead: 'Only links to web pages and email addresses can be opened.',
  inbox: 'Go to the inbox',
}

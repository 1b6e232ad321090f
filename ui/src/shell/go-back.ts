import { navigate } from 'wouter/use-browser-location'

/** Not yet in the types of every browser, nor in every browser. */
type WithNavigation = { navigation?: { canGoBack: boolean } }

/** Back inside of eRACE only: from a page that was opened by its address it leads to the inbox. */
export function goBack(): void {
  const isOurs = (window as WithNavigation).navigation?.canGoBack ?? window.history.length > 1
  if (isOurs) window.history.back()
  else navigate('/inbox')
}

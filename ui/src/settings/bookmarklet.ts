/** A bookmark that opens the form for a new profile with the address and the title of the page it is clicked on. */
export function bookmarkletFor(origin: string): string {
  const target = JSON.stringify(`${origin}/profiles/new?`)
  const code = `(()=>{open(${target}+new URLSearchParams({url:location.href,title:document.title}),'_blank')})()`
  return `javascript:${encodeURIComponent(code)}`
}

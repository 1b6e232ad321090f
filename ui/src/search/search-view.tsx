import { Page } from '../kit/page.tsx'
import { LoadingState } from '../kit/states.tsx'

export default function SearchView() {
  return (
    <Page title="Search">
      <LoadingState />
    </Page>
  )
}

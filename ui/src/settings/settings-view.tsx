import { Page } from '../kit/page.tsx'
import { LoadingState } from '../kit/states.tsx'

export default function SettingsView() {
  return (
    <Page title="Settings">
      <LoadingState />
    </Page>
  )
}

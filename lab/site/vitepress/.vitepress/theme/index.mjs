import { useRoute } from 'vitepress';
import DefaultTheme from 'vitepress/theme-without-fonts';
import { nextTick, onMounted, watch } from 'vue';
import Mermaid from './mermaid.vue';
import './style.css';

/** Scrolls the contents to the page that is shown. */
async function showActiveEntry() {
  await nextTick();
  const active = document.querySelector('.VPSidebar .is-active.is-link');
  active?.scrollIntoView({ block: 'nearest' });
}

export default {
  extends: DefaultTheme,
  enhanceApp({ app }) {
    app.component('Mermaid', Mermaid);
  },
  setup() {
    const route = useRoute();
    onMounted(showActiveEntry);
    watch(() => route.path, showActiveEntry);
  },
};

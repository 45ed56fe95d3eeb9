import DefaultTheme from 'vitepress/theme-without-fonts';
import Mermaid from './mermaid.vue';
import './style.css';

export default {
  extends: DefaultTheme,
  enhanceApp({ app }) {
    app.component('Mermaid', Mermaid);
  },
};

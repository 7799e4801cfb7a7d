// The report of a run: draws what the C side has written into the element #data.
import '../../node_modules/uplot/dist/uPlot.min.css';
import '../tokens.css';
import '../chart.css';
import { chart } from '../chart.js';

window.yokeChart = chart;

import com.nimbusds.jose.util.JSONObjectUtils;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;

/** Calls an API with the Java example: as many times at once as each line says. */
public final class Callers {
  public static void main(String[] args) throws Exception {
    var api = new GetToken();
    var lines = new BufferedReader(new InputStreamReader(System.in));
    for (var line = lines.readLine(); line != null; line = lines.readLine()) {
      int count = ((Number) JSONObjectUtils.parse(line).get("count")).intValue();
      Map<String, Object> answer = Map.of("ok", true);
      var threads = Executors.newFixedThreadPool(count);
      var calls = new ArrayList<Callable<Integer>>();
      for (int call = 0; call < count; call++) {
        calls.add(() -> api.callApi(System.getenv("EXAMPLE_URL")).statusCode());
      }
      for (var call : threads.invokeAll(calls)) {
        try {
          if (call.get() != 200) answer = Map.of("ok", false, "why", "" + call.get());
        } catch (java.util.concurrent.ExecutionException error) {
          answer = Map.of("ok", false, "why", "" + error.getCause());
        }
      }
      threads.shutdown();
      System.out.println(JSONObjectUtils.toJSONString(answer));
    }
    System.exit(0);
  }
}

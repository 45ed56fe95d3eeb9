import com.nimbusds.jose.util.JSONObjectUtils;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.apache.hc.client5.http.classic.methods.HttpPost;
import org.apache.hc.client5.http.entity.UrlEncodedFormEntity;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.core5.http.io.entity.EntityUtils;
import org.apache.hc.core5.http.message.BasicNameValuePair;

/**
 * Gets tokens with Apache HttpClient 5: one for each line that it reads. Writes {"ok": ...,
 * "token": ...}. Its form says {@code charset=ISO-8859-1}, as those of REST Assured and Camel do.
 */
public final class HttpClient5 {
  private static HttpPost tokenRequest() {
    var credentials = System.getenv("CLIENT_ID") + ":" + System.getenv("CLIENT_SECRET");
    var basic = Base64.getEncoder().encodeToString(credentials.getBytes(StandardCharsets.UTF_8));
    var request = new HttpPost(System.getenv("TOKEN_URL"));
    request.setHeader("Authorization", "Basic " + basic);
    request.setEntity(
        new UrlEncodedFormEntity(
            List.of(
                new BasicNameValuePair("grant_type", "client_credentials"),
                new BasicNameValuePair("scope", "messaging:view"))));
    return request;
  }

  private static Map<String, Object> getToken(CloseableHttpClient http) throws Exception {
    return http.execute(
        tokenRequest(),
        response -> {
          var body = EntityUtils.toString(response.getEntity());
          if (response.getCode() != 200) {
            return Map.of("ok", false, "why", response.getCode() + " " + body);
          }
          return Map.of("ok", true, "token", readToken(body));
        });
  }

  private static String readToken(String body) {
    try {
      return JSONObjectUtils.getString(JSONObjectUtils.parse(body), "access_token");
    } catch (java.text.ParseException error) {
      throw new IllegalStateException(error);
    }
  }

  public static void main(String[] args) throws Exception {
    var lines = new BufferedReader(new InputStreamReader(System.in));
    try (var http = HttpClients.createSystem()) {
      for (var line = lines.readLine(); line != null; line = lines.readLine()) {
        System.out.println(JSONObjectUtils.toJSONString(getToken(http)));
      }
    }
  }
}
